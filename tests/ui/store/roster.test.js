// Who is there, and to whom something can be said.

import assert from "node:assert/strict";
import { test } from "node:test";

import { RoomState } from "../../../groupx/web/static/js/store/state.js";

const agent = (id, state = "idle", enabled = true) => ({
  actorId: `agent:${id}`, id, name: id, state, enabled, lane: { queued: 0 },
});

function room(...agents) {
  const state = new RoomState(() => {}, {});
  state.load({ room: { roomId: "room:a" }, agents, events: [], activeTurns: [], previousPage: null, throughSeq: 0 });
  return state;
}

const ids = (agents) => [...agents].map(({ id }) => id);

test("one that waits for a restart or is off cannot be addressed; one that is stopped or failed can", () => {
  const state = room(agent("a"), agent("b", "pending_restart"), agent("c", "stopped"), agent("d", "stopped", false),
    agent("e", "failed"));
  assert.deepEqual(ids(state.addressable()), ["a", "c", "e"]);
  assert.deepEqual(["agent:a", "agent:b", "agent:x"].map((id) => state.isAddressable(id)), [true, false, false]);
});

const ANSWERS = {
  "a bootstrap": (state, agents) => state.takeRoster(agents),
  "a new subscription": (state, agents) => state.subscribed({ throughSeq: 0, activeTurns: [], agents }),
};
for (const [name, answered] of Object.entries(ANSWERS)) {
  test(`after ${name} one that is gone is gone, and one that came stands in its place`, () => {
    const state = room(agent("a"), agent("b", "pending_restart"), agent("c"));
    answered(state, [agent("a"), agent("d", "pending_restart"), agent("c")]);
    assert.deepEqual(ids(state.agents.values()), ["a", "d", "c"]);
  });
}

test("a bootstrap that comes late does not undo what the stream said of an agent", () => {
  const state = room(agent("a"));
  state.apply({ type: "agent.changed", seq: null, body: { agent: agent("a", "working") } });
  state.takeRoster([agent("a", "idle")]);
  assert.equal(state.agents.get("agent:a").state, "working");
});
