// An answer that its program cut short is known as such, in whatever order its events come.

import assert from "node:assert/strict";
import { test } from "node:test";

import { RoomState } from "../../groupx/web/static/js/store/state.js";

const actor = { kind: "agent", actorId: "agent:ada", displayName: "Ada" };
const event = (type, seq, body) => ({ type, seq, eventId: `evt_${seq}`, actor, occurredAt: "2026-01-01T00:00:00.000Z",
  body: { turnId: "turn_1", sourceEventId: "evt_0", ...body } });
const answer = event("message.created", 1, { content: "half", stopReason: "max_tokens" });
const end = event("turn.completed", 2, { responseEventId: "evt_1" });

for (const order of [[answer, end], [end, answer]]) {
  test(`${order[0].type} first`, () => {
    const drawn = [];
    const state = new RoomState((keys) => drawn.push(...keys), { now: () => "", newId: () => "id" });
    for (const sent of order) state.take(sent);
    state.flush();
    assert.equal(state.turns.byId.get("turn_1").stopReason, "max_tokens");
    assert.equal(drawn.includes("evt_0"), true, "what it answers is drawn anew");
  });
}
