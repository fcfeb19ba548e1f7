// What is counted goes on while somebody answers, and stands still while nobody does.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import "./browser_world.js";
import { holdElapsed, startClock } from "../../groupx/web/static/js/base/time.js";

test("a count stands still while the connection is lost", () => {
  mock.timers.enable({ apis: ["setInterval", "Date"], now: 100_000 });
  const counter = { dataset: { since: "95000" }, textContent: "" };
  document.querySelectorAll = (selector) => (selector === ".elapsed" ? [counter] : []);
  startClock();
  const after = (seconds) => {
    mock.timers.tick(seconds * 1000);
    return counter.textContent;
  };
  assert.equal(after(1), "0:06");
  holdElapsed(true);
  holdElapsed(true);
  assert.equal(after(30), "0:06");
  holdElapsed(false);
  assert.equal(after(1), "0:37");
});
