// How long a turn waited, was on its way and was worked on.

import assert from "node:assert/strict";
import { test } from "node:test";

import { shares, spans } from "../../../groupx/web/static/js/panels/turn/spans.js";

const at = (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const ms = ({ name, from, to }) => [name, to === null ? null : to - from];

test("a finished turn has three spans that follow one another", () => {
  const detail = {
    turn: { queuedAt: at(0), startedAt: at(3), terminalAt: at(10) },
    attempts: [{ claimedAt: at(1) }, { claimedAt: at(2) }],
  };
  assert.deepEqual(spans(detail).map(ms), [["waited", 2000], ["sending", 1000], ["worked", 7000]]);
});

test("what goes on has no end yet", () => {
  const turn = { queuedAt: at(0) };
  assert.deepEqual(spans({ turn, attempts: [] }).map(ms), [["waited", null]]);
  assert.deepEqual(spans({ turn, attempts: [{ claimedAt: at(4) }] }).map(ms), [["waited", 4000], ["sending", null]]);
});

test("one that never began has only waited", () => {
  const turn = { queuedAt: at(0), terminalAt: at(5) };
  assert.deepEqual(spans({ turn, attempts: [] }).map(ms), [["waited", 5000]]);
});

test("a clock that was set back gives no negative span", () => {
  const detail = { turn: { queuedAt: at(5), startedAt: at(2), terminalAt: at(1) }, attempts: [] };
  assert.deepEqual(spans(detail).map(ms), [["waited", 0], ["worked", 0]]);
  for (const { share } of shares(spans(detail), Date.parse(at(9)))) assert.equal(share, 0);
});

test("shares are of the whole, up to now for what goes on", () => {
  const parts = spans({ turn: { queuedAt: at(0), startedAt: at(1) }, attempts: [] });
  assert.deepEqual(shares(parts, Date.parse(at(4))), [{ name: "waited", share: 0.25 }, { name: "worked", share: 0.75 }]);
});
