// What the address names is loaded once, the last wish counts, and a failure is made good.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../browser_world.js";

const { Loader } = await import("../../../groupx/web/static/js/frame/loader.js");

/** A loader and what it told; `answers` are given in the order in which they were asked for. */
function loading(context) {
  const told = [];
  const asked = [];
  const say = (name) => (value) => told.push([name, value?.room?.roomId ?? value].filter(Boolean).join(" "));
  context.mock.method(globalThis, "fetch", (path) => new Promise((answer, fail) => {
    asked.push({ path, fail, answer: (body, status = 200) => answer(new Response(JSON.stringify(body), { status })) });
  }));
  const shown = () => told.push("toast");
  const toast = { show: shown, showHere: shown, hide: () => told.push("no toast") };
  const loader = new Loader({
    toast, onLoading() {}, onLoaded: say("loaded"), onSetup: say("setup"), onGone: say("gone"), onFailed: say("failed"),
  });
  return { loader, told, asked };
}

const room = (roomId) => ({ room: { roomId } });
const refusal = (code, details = {}) => ({ error: { code, message: code, details } });

test("the room of the address is asked for, and of two wishes the last one is shown", async (context) => {
  const { loader, told, asked } = loading(context);
  location.hash = "#/room/room%3Aold";
  const first = loader.load();
  location.hash = "#evt_1";
  const second = loader.load();
  asked[1].answer(room("room:main"));
  await second;
  asked[0].answer(room("room:old"));
  await first;
  assert.deepEqual(asked.map(({ path }) => path),
    ["/api/bootstrap?render=html&roomId=room%3Aold", "/api/bootstrap?render=html"]);
  assert.deepEqual(told, ["loaded room:main"]);
});

test("when nobody answers it is still to be loaded, until it is", async (context) => {
  const { loader, told, asked } = loading(context);
  location.hash = "";
  const failing = loader.load();
  asked[0].fail(new TypeError("offline"));
  await failing;
  assert.equal(loader.hasFailed, true);
  const again = loader.load();
  asked[1].answer(room("room:main"));
  await again;
  assert.equal(loader.hasFailed, false);
  assert.deepEqual(told, ["failed", "toast", "no toast", "loaded room:main"]);
});

for (const [name, hash, answer, status, lines] of [
  ["a room that is not there", "#/room/room%3Ax", refusal("NOT_FOUND"), 404, ["gone room:x", "toast"]],
  ["no room yet", "", refusal("RUNTIME_STARTING", { status: "setup" }), 503, ["setup"]],
  ["a login that is over", "", refusal("UNAUTHORIZED"), 401, ["failed", "toast"]],
]) {
  test(name, async (context) => {
    const { loader, told, asked } = loading(context);
    location.hash = hash;
    const done = loader.load();
    asked[0].answer(answer, status);
    await done;
    assert.deepEqual(told, lines);
  });
}
