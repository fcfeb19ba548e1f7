// What the daemon did when it started is said in the page's words, where it happened, to whoever was not there.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "../browser_world.js";
import { RoomState } from "../../../groupx/web/static/js/store/state.js";

const kept = new Map([["groupx.language", "en"]]);
const ofTab = new Map();
const storage = (map) => ({ getItem: (key) => map.get(key) ?? null, setItem: (key, value) => map.set(key, value) });
Object.assign(globalThis, { localStorage: storage(kept), sessionStorage: storage(ofTab) });
const { tellOfRestart, tellOfStart } = await import("../../../groupx/web/static/js/frame/start_notices.js");

const AT = "2026-01-01T00:00:05Z";
const actor = { kind: "user", actorId: "user:web" };
const event = (seq) => ({
  type: "message.created", seq, eventId: `evt_${seq}`, occurredAt: AT, actor, body: { content: `${seq}` },
});
const restarted = {
  code: "restarted", message: "restarted 00:00: …", at: AT, afterSeq: 2,
  facts: { counts: { interrupted: 1, requeued: 2 }, turns: [{ turnId: "turn_1", targetActorId: "agent:ada" }] },
};

const bootstrap = (notices) => ({
  room: { roomId: "room:a", active: true }, rooms: [], activeTurns: [], previousPage: null, throughSeq: 4,
  agents: [{ actorId: "agent:ada", name: "Ada", lane: {} }], events: [1, 2, 3, 4].map(event),
  runtime: { startedAt: AT }, limits: {}, notices,
});

function loaded(notices = [restarted]) {
  let lines = 0;
  const state = new RoomState(() => {}, { newId: () => String(++lines), now: () => AT });
  const answer = bootstrap(notices);
  state.load(answer);
  return { state, answer };
}

const lines = (state) => state.entries.order.filter(({ kind }) => kind === "local");

beforeEach(() => {
  kept.clear();
  ofTab.clear();
});

test("it stands at its place and leads to the turns that it names, and to no others", () => {
  const { state, answer } = loaded();
  state.turns.lifecycle({ type: "turn.interrupted", seq: 4, occurredAt: "2026-01-01T00:09:00Z",
    actor, body: { turnId: "turn_later", targetActorId: "agent:ada" } });
  tellOfStart(answer, state);
  assert.deepEqual(state.entries.order.map(({ seq }) => seq), [1, 2, 2.5, 3, 4]);
  const [line] = lines(state);
  assert.match(line.text, /^GroupX was restarted at .+\. Turns interrupted: 1\. Turns queued again: 2\.$/);
  assert.equal(line.occurredAt, AT);
  assert.deepEqual(line.links, [{ href: "#/turn/turn_1", text: "Ada’s turn" }]);
});

test("it is said once, also when an open page was told of the restart", () => {
  for (const tell of [tellOfStart, tellOfRestart]) {
    kept.clear();
    const { state, answer } = loaded();
    tell(answer, state);
    tellOfStart(answer, state);
    assert.equal(lines(state).length, 1);
  }
});

test("in the tab that was told it is there again after a reload, where its place is loaded", () => {
  const { state, answer } = loaded();
  tellOfStart(answer, state);
  const reloaded = loaded();
  tellOfStart(reloaded.answer, reloaded.state);
  assert.deepEqual(lines(reloaded.state).map(({ seq }) => seq), [2.5]);

  const later = loaded();
  later.state.load({ ...answer, events: [3, 4].map(event), previousPage: { beforeSeq: 3 } });
  tellOfStart(answer, later.state);
  assert.equal(lines(later.state).length, 0);

  ofTab.clear();
  const other = loaded();
  tellOfStart(other.answer, other.state);
  assert.equal(lines(other.state).length, 0);
});

test("a restart that cut nothing short is said only to who saw it", () => {
  const { state, answer } = loaded([]);
  tellOfStart(answer, state);
  assert.equal(lines(state).length, 0);
  tellOfRestart(answer, state);
  assert.match(lines(state)[0].text, /^GroupX was restarted at /);
});

test("what a later daemon has to say is said in its own words", () => {
  const { state, answer } = loaded([{ ...restarted, code: "new", message: "Something new.", facts: {} }]);
  tellOfStart(answer, state);
  assert.deepEqual(lines(state).map(({ text }) => text), ["Something new."]);
});
