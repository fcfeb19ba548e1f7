// A reload, a reconnect and a tab that was always there come to know the same room.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { RoomState } from "../../../groupx/web/static/js/store/state.js";
import { bootstrapAt, liveAt, streamAfter } from "./daemon.js";

const HERE = new URL(".", import.meta.url);
const RECORDINGS = readdirSync(HERE).filter((name) => name.endsWith(".json"));
const CUTS = 60;

const recording = (name) => JSON.parse(readFileSync(new URL(name, HERE), "utf8"));
const fresh = () => new RoomState(() => {}, { now: () => "2026-01-01T00:00:00Z", newId: () => "id" });

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function chance(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All that a reader could see. */
function shown(state) {
  const turn = (it) => ({
    id: it.turnId, status: it.status, target: it.target, source: it.sourceEventId, text: it.ended ? "" : it.text,
    reasoning: it.ended ? it.reasoning : it.reasoningCharacters, tools: [...it.tools],
    certainty: it.certainty, errorCode: it.errorCode, message: it.message, reason: it.reason,
    startedAt: it.startedAt, response: it.responseEventId,
  });
  return {
    seq: state.seq,
    entries: state.entries.order.map(({ key, kind, seq, event, occurredAt }) =>
      [key, kind, seq, event?.eventId, occurredAt]),
    turns: [...state.turns.byId.values()].map(turn).sort((a, b) => (a.id < b.id ? -1 : 1)),
    waiting: [...state.turns.open].map((it) => [it.turnId, state.turns.ahead(it)]).sort(),
    withdrawn: [...state.withdrawn], continued: [...state.continued],
    agents: [...state.agents.values()].map(({ actorId, state: now, paused }) => [actorId, now, paused]),
  };
}

function whole({ first, stream }, until = stream.length) {
  const state = fresh();
  state.load(first);
  for (const event of stream.slice(0, until)) state.apply(event);
  return state;
}

for (const name of RECORDINGS) {
  const recorded = recording(name);
  const { stream } = recorded;
  const random = chance(stream.length);
  const somewhere = () => Math.floor(random() * (stream.length + 1));

  test(`${name}: the daemon's own last bootstrap is what the stream led to`, () => {
    const state = fresh();
    state.load({ ...recorded.last, events: bootstrapAt(recorded, stream.length).events });
    assert.deepEqual(shown(state), shown(whole(recorded)));
  });

  test(`${name}: a reload anywhere shows the same, then and at the end`, () => {
    for (let round = 0; round < CUTS; round++) {
      const cut = somewhere();
      const state = fresh();
      state.load(bootstrapAt(recorded, cut));
      assert.deepEqual(shown(state), shown(whole(recorded, cut)), `right after a reload at ${cut}`);
      for (const event of stream.slice(cut)) state.apply(event);
      assert.deepEqual(shown(state), shown(whole(recorded)), `at the end, reloaded at ${cut}`);
    }
  });

  test(`${name}: a gap is filled by what came meanwhile`, () => {
    for (let round = 0; round < CUTS; round++) {
      const [lost, back] = [somewhere(), somewhere()].sort((a, b) => a - b);
      const state = whole(recorded, lost);
      state.subscribed(liveAt(recorded, back));
      for (const event of streamAfter(recorded, state.seq, back)) state.apply(event);
      assert.deepEqual(shown(state), shown(whole(recorded)), `without ${lost} to ${back}`);
    }
  });

  test(`${name}: what comes twice, or too late, changes nothing`, () => {
    const state = fresh();
    state.load(recorded.first);
    stream.forEach((event, index) => {
      state.apply(event);
      const again = stream[Math.floor(random() * (index + 1))];
      if (again.type !== "agent.changed") state.apply(again);
    });
    assert.deepEqual(shown(state), shown(whole(recorded)));
  });

  test(`${name}: older pages come to the same as having seen them`, () => {
    const durable = stream.filter((event) => event.seq !== null);
    const cut = durable.length >> 1;
    const state = fresh();
    const all = bootstrapAt(recorded, stream.length);
    state.load({ ...all, events: durable.slice(cut), previousPage: { beforeSeq: durable[cut].seq } });
    state.prepend({ events: durable.slice(0, cut), previousPage: null });
    assert.deepEqual(shown(state), shown(whole(recorded)));
  });
}

test("an event of a type that nobody knows yet is kept and shown as one line", () => {
  const recorded = recording(RECORDINGS[0]);
  const state = whole(recorded);
  const actor = { actorId: "system:groupx", kind: "system", displayName: "GroupX" };
  const event = { seq: state.seq + 1, eventId: "evt_new", type: "weather.changed", actor, body: { sun: true },
    occurredAt: "2026-01-01T00:00:00Z" };
  state.apply(event);
  assert.equal(state.entries.order.at(-1).event, event);
  assert.equal(state.entries.order.at(-1).kind, "notice");
  const before = shown(state);
  state.apply({ ...event, seq: null, eventId: "evt_passing", type: "weather.forecast" });
  assert.deepEqual(shown(state), before);
});
