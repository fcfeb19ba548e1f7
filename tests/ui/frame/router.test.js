// What an address means: an entry, a view, another room, and a view beside that.

import assert from "node:assert/strict";
import { test } from "node:test";

import { besideHash, entryHash, parseRoute } from "../../../groupx/web/static/js/frame/router.js";

for (const [hash, route] of [
  ["", null],
  ["#evt_1", null],
  ["#/", null],
  ["#/memory", { name: "memory", args: [], roomId: null }],
  ["#/agent/ada/memory/mem_1", { name: "agent", args: ["ada", "memory", "mem_1"], roomId: null }],
  ["#/room/room%3Aold", { name: "room", args: ["room:old"], roomId: "room:old" }],
  ["#/room/room%3Aold/evt_1", { name: "room", args: ["room:old", "evt_1"], roomId: "room:old" }],
  ["#/room/room%3Aold/agent/ada", { name: "agent", args: ["ada"], roomId: "room:old" }],
  ["#/room/room%3Aold/setup", { name: "room", args: ["room:old", "setup"], roomId: "room:old" }],
  ["#/room/%zz", { name: "room", args: ["%zz"], roomId: "%zz" }],
  ["#/room", { name: "room", args: [], roomId: null }],
]) {
  test(`${hash || "no address"} is read`, () => assert.deepEqual(parseRoute(hash), route));
}

test("what is addressed is found again", () => {
  const memory = { name: "memory", args: ["mem/1"] };
  assert.deepEqual(parseRoute(besideHash("room:old", memory)), { ...memory, roomId: "room:old" });
  assert.deepEqual(parseRoute(entryHash({ active: false, roomId: "room:old" }, "evt_1")).args, ["room:old", "evt_1"]);
});
