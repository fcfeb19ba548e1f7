// Which turns deserve a word: those that end badly, those that are done, those that fell silent.

import assert from "node:assert/strict";
import { test } from "node:test";

import { TurnWatch } from "../../groupx/web/static/js/attention/watch.js";

const MINUTE = 60_000;
const event = (type, turnId = "t") => ({ type, body: { turnId } });

function watch() {
  const clock = { now: 0 };
  return { clock, turns: new TurnWatch(() => clock.now) };
}

test("an end is said by its kind; a cancelled turn was the user's own wish", () => {
  const { turns } = watch();
  const kinds = ["turn.completed", "turn.failed", "turn.interrupted", "turn.cancelled", "message.created"]
    .map((type) => turns.heard(event(type))?.kind ?? null);
  assert.deepEqual(kinds, ["done", "failed", "failed", null, null]);
});

test("a silent turn is stuck, once, and every sign of life starts the time again", () => {
  const { clock, turns } = watch();
  turns.heard(event("turn.started"));
  clock.now = 4 * MINUTE;
  turns.heard(event("turn.content.delta"));
  clock.now = 8 * MINUTE;
  assert.deepEqual(turns.stuck(), []);
  clock.now = 9 * MINUTE;
  assert.deepEqual(turns.stuck(), ["t"]);
  assert.deepEqual(turns.stuck(), []);
});

test("a turn that ended is not stuck", () => {
  const { clock, turns } = watch();
  turns.heard(event("turn.started"));
  turns.heard(event("turn.completed"));
  clock.now = 60 * MINUTE;
  assert.deepEqual(turns.stuck(), []);
});
