// What the page hears of the room: each event once, and after a gap one line in the room it is of.

import assert from "node:assert/strict";
import { test } from "node:test";

import { sockets } from "../browser_world.js";
import { RoomState } from "../../../groupx/web/static/js/store/state.js";

// The words choose their language when they are loaded.
const { Follower } = await import("../../../groupx/web/static/js/frame/follower.js");

const bootstrap = (roomId, throughSeq) => ({
  room: { roomId, active: true }, rooms: [], agents: [], events: [], activeTurns: [], previousPage: null,
  throughSeq, runtime: { startedAt: "2026-01-01T00:00:00Z" }, limits: {},
});
const message = (seq) => ({
  type: "message.created", seq, eventId: `evt_${seq}`, occurredAt: "2026-01-01T00:00:00Z",
  actor: { kind: "user", actorId: "user:web" }, body: { content: `${seq}` },
});
const subscribed = (throughSeq) => ({ subscribed: { throughSeq, activeTurns: [], agents: [] } });

function followed() {
  const state = new RoomState(() => {}, { newId: () => "1" });
  state.load(bootstrap("room:a", 5));
  const heard = [];
  const stale = [];
  const follower = new Follower({
    state, connection: { show() {} }, onEvent: ({ seq }) => heard.push(seq), onBootstrap: () => false,
    onStale: () => stale.push(true),
  });
  follower.open();
  sockets.at(-1).says(subscribed(5));
  return { state, heard, follower, stale };
}

test("an event that comes twice or too late is heard once", () => {
  const { heard, follower } = followed();
  for (const seq of [4, 6, 6, 5, 7]) sockets.at(-1).says(message(seq));
  assert.deepEqual(heard, [6, 7]);
  follower.close();
});

for (const [name, moves, lines] of [["stays", false, 1], ["goes into another room meanwhile", true, 0]]) {
  test(`after a gap, one who ${name} is told of it ${lines} times`, async (context) => {
    const { state, follower } = followed();
    let answer;
    context.mock.method(globalThis, "fetch", () => new Promise((resolve) => (answer = resolve)));
    sockets.at(-1).onclose();
    follower.stream.retryNow();
    sockets.at(-1).says(subscribed(5));
    if (moves) {
      state.load(bootstrap("room:b", 9));
      follower.open();
    }
    answer(new Response(JSON.stringify(bootstrap("room:a", 5))));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(state.entries.order.filter(({ kind }) => kind === "local").length, lines);
    follower.close();
  });
}

test("what is out of date is followed on, unheard, until it was loaded anew", () => {
  const { state, heard, follower, stale } = followed();
  sockets.at(-1).says({ type: "stream.reset", seq: null });
  sockets.at(-1).says(message(6));
  assert.deepEqual([heard, stale.length], [[], 1]);

  sockets.at(-1).onclose(); // and nothing could be loaded meanwhile
  follower.stream.retryNow();
  sockets.at(-1).says(subscribed(9));
  sockets.at(-1).says({ type: "stream.reset", seq: null });
  assert.deepEqual([heard, stale.length], [[], 2]);

  state.load(bootstrap("room:a", 9));
  follower.open();
  sockets.at(-1).says(message(10));
  assert.deepEqual(heard, [10]);
  follower.close();
});
