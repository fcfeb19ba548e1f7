// Questions about what is remembered name an older room, and not the active one.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../browser_world.js";
import { RoomState } from "../../../groupx/web/static/js/store/state.js";

const { days, records } = await import("../../../groupx/web/static/js/transport/remembered.js");
const { search } = await import("../../../groupx/web/static/js/transport/search.js");

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

test("of what was typed only so much is sent as is read, in whole characters", async (context) => {
  const asked = [];
  context.mock.method(globalThis, "fetch", async (path) => {
    asked.push(new URL(path, "http://room").searchParams.get("q"));
    return new Response("{}");
  });
  await search("😀".repeat(5000), null);
  await records.list("memory", { q: "索".repeat(5000) });
  await records.list("memory", { q: null });
  assert.deepEqual(asked, ["😀".repeat(1000), "索".repeat(1000), null]);
});
