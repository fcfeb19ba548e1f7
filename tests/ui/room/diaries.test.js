// What agents write of their days does not flood the room: a run of it is one row.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../browser_world.js";
import { runOf } from "../../../groupx/web/static/js/room/runs.js";
import { RoomState } from "../../../groupx/web/static/js/store/state.js";

const { newestOfEach } = await import("../../../groupx/web/static/js/view/diary_row.js");

const AT = "2026-01-01T00:00:00Z";
const event = (seq, type, actorId, body) => ({
  type, seq, eventId: `evt_${seq}`, occurredAt: AT, actor: { kind: actorId.split(":")[0], actorId, displayName: actorId }, body,
});
const wrote = (seq, actorId, sourceKind = "automatic_rollup") =>
  event(seq, seq === 1 ? "memory.remembered" : "memory.superseded", actorId, { record: { content: `${seq}`, sourceKind } });
const said = (seq) => event(seq, "message.created", "user:web", { content: "hello" });

function room(events) {
  const state = new RoomState(() => {}, { now: () => AT, newId: () => "id" });
  for (const one of events) state.apply(one);
  return state.entries;
}

const together = (later, before) => later.kind === "diary" && before.kind === "diary";

test("days written one after another are one run, up to what was said between them", () => {
  const entries = room([wrote(1, "agent:bob"), wrote(2, "agent:ada"), wrote(3, "agent:bob"), said(4), wrote(5, "agent:bob")]);
  assert.deepEqual(entries.order.map(({ kind }) => kind), ["diary", "diary", "diary", "message", "diary"]);
  for (const at of [0, 1, 2]) {
    assert.deepEqual(runOf(entries.order[at], entries, together).map(({ seq }) => seq), [1, 2, 3]);
  }
  assert.deepEqual(runOf(entries.order[4], entries, together).map(({ seq }) => seq), [5]);
});

test("the newest of each agent stands for all it wrote", () => {
  const entries = room([wrote(1, "agent:bob"), wrote(2, "agent:ada"), wrote(3, "agent:bob")]);
  assert.deepEqual(newestOfEach(entries.order).map(({ event: { seq, actor }, count }) => [actor.actorId, seq, count]),
    [["agent:bob", 3, 2], ["agent:ada", 2, 1]]);
});

test("a day that is taken back is told as what it is", () => {
  const retracted = event(2, "memory.retracted", "user:web", { record: { content: "1", sourceKind: "automatic_rollup" } });
  assert.deepEqual(room([wrote(1, "agent:bob"), retracted]).order.map(({ kind }) => kind), ["diary", "aside"]);
});

test("what somebody chose to remember stays a row of its own", () => {
  assert.equal(room([wrote(1, "agent:bob", "tool")]).order[0].kind, "aside");
});
