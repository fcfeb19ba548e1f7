// A part of a long room: pages in both directions come to what a tab that loaded all of it knows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST, RoomState } from "../../../groupx/web/static/js/store/state.js";

const AT = "2026-01-01T00:00:00Z";
const ME = { actorId: "user:web", kind: "user", displayName: "You" };
const BOB = { actorId: "agent:bob", kind: "agent", displayName: "Bob" };
const PER_EXCHANGE = 5;

/** One question and its answer (or failure) as the ledger has it. */
function exchange(number) {
  const turnId = `turn_${number}`;
  const of = (place, type, actor, body) => ({ seq: number * PER_EXCHANGE + place, eventId: `evt_${number}_${place}`,
    type, actor, body, occurredAt: AT, to: [] });
  const fails = number % 7 === 0;
  return [
    of(1, "message.created", ME, { content: `question ${number}` }),
    of(2, "turn.queued", ME, { turnId, sourceEventId: `evt_${number}_1`, targetActorId: BOB.actorId }),
    of(3, "turn.started", BOB, { turnId }),
    fails ? of(4, "turn.reasoning.recorded", BOB, { turnId, content: "hm" })
      : of(4, "message.created", BOB, { turnId, content: `answer ${number}` }),
    fails ? of(5, "turn.failed", BOB, { turnId, errorCode: "X", message: "no" })
      : of(5, "turn.completed", BOB, { turnId, responseEventId: `evt_${number}_4` }),
  ];
}

/** A daemon with this many exchanges. */
function daemon(count) {
  const events = Array.from({ length: count }, (_, number) => exchange(number)).flat();
  const through = events.at(-1).seq;
  const ended = new Map(events.filter(({ type }) => /^turn\.(completed|failed)$/.test(type))
    .map((event) => [event.body.turnId, event]));
  const page = (found) => ({
    events: found, throughSeq: through,
    previousPage: found[0].seq > 1 ? { beforeSeq: found[0].seq } : null,
    nextPage: found.at(-1).seq < through ? { afterSeq: found.at(-1).seq } : null,
    endings: [...new Set(found.map(({ body }) => body.turnId).filter(Boolean))].map((id) => ended.get(id))
      .filter((event) => event.seq > found.at(-1).seq),
  });
  return {
    before: ({ beforeSeq }, limit = 101) => page(events.filter(({ seq }) => seq < beforeSeq).slice(-limit)),
    after: ({ afterSeq }, limit = 101) => page(events.filter(({ seq }) => seq > afterSeq).slice(0, limit)),
    around: (seq, limit = 61) => page(events.filter((event) => Math.abs(event.seq - seq) <= limit / 2)),
    bootstrap: () => ({ ...page(events.slice(-203)), room: { roomId: "room:1", active: true }, rooms: [], runtime: {},
      limits: {}, agents: [], activeTurns: [] }),
    all: () => ({ ...page(events), room: { roomId: "room:1", active: true }, rooms: [], runtime: {}, limits: {},
      agents: [], activeTurns: [] }),
  };
}

function loaded(bootstrap) {
  const drawn = new Set();
  let state = null;
  state = new RoomState((keys) => {
    for (const key of keys) if (state.entries.get(key)) drawn.add(key); else drawn.delete(key);
  }, { now: () => AT, newId: () => "id" });
  state.load(bootstrap);
  return { state, drawn };
}

const shown = (state) => state.entries.order.map(({ key, seq, turn, event }) =>
  [key, seq, turn?.status, turn?.reasoning, event?.body.content]);
const states = (state) => state.entries.order.filter(({ kind }) => kind === "message")
  .flatMap(({ key }) => state.turns.of(key).map((turn) => [key, turn.status]));

test("a page far back stands for itself, and pages lead from it to both ends", () => {
  const room = daemon(200);
  const whole = loaded(room.all()).state;
  const { state, drawn } = loaded(room.bootstrap());
  state.goTo(room.around(401));
  assert.ok(state.entryOf("evt_80_1"));
  assert.ok(state.previous && state.next);
  assert.ok(state.entries.order.length < 40, "only what is around it");
  assert.ok(states(state).every(([, status]) => status !== "queued" && status !== "running"), "none seems to wait");
  while (state.next) state.append(room.after(state.next));
  while (state.previous) state.prepend(room.before(state.previous));
  assert.deepEqual(shown(state), shown(whole));
  assert.deepEqual(states(state), states(whole));
  assert.equal(state.turns.open.size, 0);
  assert.deepEqual([...drawn].sort(), state.entries.order.map(({ key }) => key).sort());
});

test("a page that meets what is loaded stands before it", () => {
  const room = daemon(100);
  const { state } = loaded(room.bootstrap());
  const first = state.previous.beforeSeq;
  state.goTo(room.around(first - 20, 61));
  assert.equal(state.next, null);
  while (state.previous) state.prepend(room.before(state.previous));
  assert.deepEqual(shown(state), shown(loaded(room.all()).state));
});

test("what happens meanwhile is not shown far back, and is there at the end", () => {
  const room = daemon(200);
  const { state } = loaded(room.bootstrap());
  state.goTo(room.around(401));
  const before = shown(state);
  state.notice("a line of this page");
  state.sending("command", ["agent:bob"], "on its way");
  for (const event of exchange(200).slice(0, 3)) state.apply(event);
  assert.deepEqual(shown(state), before);
  assert.equal(state.turns.of("evt_200_1")[0].status, "running");
  const later = daemon(201);
  while (state.next) {
    const old = room.after(state.next);
    state.append(old.events.length && old.nextPage ? old : later.after(state.next));
  }
  const keys = state.entries.order.map(({ key }) => key);
  for (const key of ["evt_200_1", "local:id", "pending:command"]) assert.ok(keys.includes(key), key);
});

test("a page that is older than what the stream brought does not count as the end", () => {
  const room = daemon(60);
  const { state } = loaded(room.bootstrap());
  state.goTo(daemon(60).around(40));
  const last = { ...room.after({ afterSeq: state.next.afterSeq }, 1000) };
  for (const event of exchange(60)) state.apply(event);
  state.append(last);
  assert.deepEqual(state.next, { afterSeq: 300 });
  state.append(daemon(61).after(state.next));
  assert.equal(state.next, null);
  assert.equal(state.entries.order.at(-1).event.body.content, "answer 60");
});

test("no more than so many are kept, and what was let go of comes again", () => {
  const room = daemon(1200);
  const { state, drawn } = loaded(room.bootstrap());
  const order = () => state.entries.order;
  while (state.previous) {
    state.prepend(room.before(state.previous));
    assert.ok(order().length <= MOST);
  }
  assert.equal(order()[0].event.body.content, "question 0");
  assert.ok(state.next);
  assert.ok(state.events.size <= MOST);
  assert.ok(state.turns.byId.size <= order().length, `${state.turns.byId.size} turns are kept`);
  assert.ok(state.turns.bySource.size <= order().length);
  while (state.next) {
    state.append(room.after(state.next));
    assert.ok(order().length <= MOST);
  }
  assert.equal(order().at(-1).event.body.content, "answer 1199");
  const whole = shown(loaded(room.all()).state);
  assert.deepEqual(shown(state), whole.slice(-order().length));
  assert.deepEqual([...drawn].sort(), order().map(({ key }) => key).sort());
});

for (const end of ["older", "newer"]) {
  test(`what comes while one reads elsewhere is let go of at the ${end} end, and a turn with all that shows it`, () => {
    const { state, drawn } = loaded(daemon(1).bootstrap());
    for (let number = 1; number < 4000; number++) {
      for (const event of exchange(number)) state.apply(event);
      state.trim(end);
      assert.ok(state.entries.order.length <= MOST && drawn.size <= MOST);
    }
    assert.ok(state.turns.byId.size <= MOST / 2 + 1, `${state.turns.byId.size} turns are kept`);
    assert.ok(state.events.size <= MOST);
    assert.equal(state.next !== null, end === "newer");
    const [first] = states(state);
    assert.ok(first && states(state).every(([, status]) => status === "completed" || status === "failed"));
  });
}

test("a line of the page's own, and a message on its way, outlive that the room is loaded anew", () => {
  const room = daemon(10);
  const { state, drawn } = loaded(room.bootstrap());
  state.notice("connected again");
  state.sending("command", ["agent:bob"], "on its way");
  state.load(room.bootstrap());
  assert.ok(drawn.has("local:id") && drawn.has("pending:command"));
  state.load({ ...room.bootstrap(), room: { roomId: "room:2" } });
  assert.ok(!state.entries.get("local:id"));
});
