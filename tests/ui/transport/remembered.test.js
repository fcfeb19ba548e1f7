// Questions about what is remembered name an older room, and not the active one.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../browser_world.js";
import { RoomState } from "../../../groupx/web/static/js/store/state.js";

const { days } = await import("../../../groupx/web/static/js/transport/remembered.js");

for (const [active, query] of [[true, "agent=agent%3Aa"], [false, "agent=agent%3Aa&roomId=room%3Aold"]]) {
  test(`days of ${active ? "the active" : "an older"} room`, async (context) => {
    const asked = [];
    context.mock.method(globalThis, "fetch", async (path) => {
      asked.push(path);
      return new Response('{"days":[]}');
    });
    const state = new RoomState(() => {});
    state.room = { roomId: "room:old", active };
    assert.deepEqual(await days("agent:a", state.olderRoomId), { days: [] });
    assert.deepEqual(asked, [`/api/memory/days?${query}`]);
  });
}
