// However much happens while a tab stands open, it keeps a part: that around its reader.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../elements.js";
import { MOST, RoomState } from "../../../groupx/web/static/js/store/state.js";

const { History } = await import("../../../groupx/web/static/js/room/history.js");

const said = (seq) => ({ seq, eventId: `evt_${seq}`, type: "message.created", occurredAt: "2026-01-01T00:00:00Z",
  actor: { actorId: "user:web", kind: "user", displayName: "You" }, body: { content: `${seq}` } });

for (const [farEnd, first, next] of [["older", 302, null], ["newer", 1, { afterSeq: 1200 }]]) {
  test(`it lets go of the ${farEnd} end when its reader is far from that`, () => {
    const kept = [];
    let drawings = 0;
    const state = new RoomState(() => {});
    for (let seq = 1; seq <= MOST; seq++) state.apply(said(seq));
    const scroller = { farEnd, keepPlace: (change) => kept.push(change()) };
    const history = new History(state, () => scroller, () => {
      drawings++;
      history.trim(); // as the page does when it has drawn
    });
    history.trim();
    assert.equal(drawings, 0, "nothing is too much yet");
    state.apply(said(MOST + 1));
    history.trim();
    assert.equal(state.entries.order.length, 1200);
    assert.equal(state.entries.order[0].seq, first);
    assert.deepEqual(state.next, next);
    assert.deepEqual([kept.length, drawings], [1, 1]);
  });
}
