// A turn whose packet is put together says so, until it is on its way or over.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Turns } from "../../groupx/web/static/js/store/turns.js";

const actor = { kind: "agent", actorId: "agent:ada" };
const event = (type, seq) => ({ type, seq, actor, occurredAt: "2026-01-01T00:00:00.000Z", body: { turnId: "turn_1" } });

test("it prepares while it is queued, and no longer", () => {
  const turns = new Turns();
  turns.lifecycle(event("turn.queued", 1));
  assert.equal(turns.prepared("turn_1").preparing, true);
  for (const [seq, type] of ["turn.dispatched", "turn.queued"].entries()) {
    assert.equal(turns.lifecycle(event(type, seq + 2)).preparing, false);
  }
});

test("what is under way, over or unknown prepares nothing", () => {
  const turns = new Turns();
  assert.equal(turns.prepared("turn_1"), null);
  turns.lifecycle(event("turn.cancelled", 2));
  assert.equal(turns.prepared("turn_1"), null);
  assert.equal(turns.get("turn_1").preparing, false);
});
