// The daemon's clock is the one that counts, when the browser's is off.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { heardDate, now, nowIso } from "../../groupx/web/static/js/base/clock.js";

const HERE = Date.UTC(2026, 0, 2, 12);
const DAY = 86_400_000;
const header = (ms) => new Date(ms).toUTCString();

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["Date"], now: HERE });
  heardDate(header(HERE));
});

test("a clock that is right is left alone, also by an answer that took a while", () => {
  heardDate(header(HERE - 3000));
  assert.equal(now(), HERE);
});

test("a clock that is a day off is corrected, and goes on from there", () => {
  heardDate(header(HERE - DAY));
  assert.equal(now(), HERE - DAY);
  mock.timers.tick(5000);
  assert.equal(nowIso(), new Date(HERE - DAY + 5000).toISOString());
});

test("a clock that was set right is believed again", () => {
  heardDate(header(HERE + DAY));
  heardDate(header(HERE));
  assert.equal(now(), HERE);
});

test("an answer without a date says nothing about the time", () => {
  heardDate(header(HERE + DAY));
  heardDate(null);
  heardDate("yesterday or so");
  assert.equal(now(), HERE + DAY);
});
