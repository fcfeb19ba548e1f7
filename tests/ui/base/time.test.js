// A moment is told so that one knows its day: by the line above it, or with it.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import "../browser_world.js";

const { relative } = await import("../../../groupx/web/static/js/base/time.js");

const NOW = new Date(2026, 0, 2, 12).getTime();
const HOUR = 3_600_000;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["Date"], now: NOW });
});

for (const [name, ago, timed, dated] of [
  ["just now", 1000, /^now|just now$/, /^now|just now$/],
  ["minutes", 5 * 60_000, /^5 min ago$/, /^5 min ago$/],
  ["earlier today", 3 * HOUR, /^09:00/, /^09:00/],
  ["yesterday", 26 * HOUR, /^10:00/, /^Jan 1, 10:00/],
]) {
  test(`${name} is told with its day only where that is needed`, () => {
    const date = new Date(NOW - ago);
    assert.match(relative(date), timed);
    assert.match(relative(date, true), dated);
  });
}
