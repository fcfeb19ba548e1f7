// A stream goes on by itself until it is closed, and then never again.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dispatch, listening, sockets } from "../browser_world.js";
import { RoomStream } from "../../../groupx/web/static/js/transport/stream.js";

function opened() {
  const heard = [];
  const states = [];
  const stream = new RoomStream({
    roomId: "room:a", cursor: () => 1, onState: ({ state }) => states.push(state), onSubscribed() {},
    onEvent: (event) => heard.push(event.type),
  });
  stream.open();
  return { stream, heard, states, socket: sockets.at(-1) };
}

test("one that waits for its next try goes on at once when the page is seen again, and when it is online", () => {
  const { stream, heard, socket } = opened();
  for (const sign of ["visibilitychange", "online"]) {
    const before = sockets.length;
    sockets.at(-1).onclose();
    dispatch(sign);
    assert.equal(sockets.length, before + 1);
  }
  sockets.at(-1).says({ type: "message.created", seq: 2 });
  socket.says({ type: "late.one", seq: 3 });
  assert.deepEqual(heard, ["message.created"]);
  stream.close();
});

test("events that come together are heard one after another, and no more of them once it is closed", () => {
  const { stream, heard, socket } = opened();
  stream.onEvent = ({ type }) => {
    heard.push(type);
    if (type === "the.last") stream.close();
  };
  socket.says([{ type: "one" }, { type: "another" }, { type: "the.last" }, { type: "too.late" }]);
  assert.deepEqual(heard, ["one", "another", "the.last"]);
});

test("one that was closed while it waited is not opened by anything, and nothing of it is heard", () => {
  const { stream, heard, states, socket } = opened();
  socket.onclose();
  stream.close();
  const before = [sockets.length, states.length];
  for (const sign of ["visibilitychange", "online"]) dispatch(sign);
  stream.retryNow();
  socket.says({ type: "message.created", seq: 2 });
  assert.deepEqual([sockets.length, states.length], before);
  assert.deepEqual(heard, []);
});

test("a closed one listens to the page no longer", () => {
  const before = listening();
  const streams = [opened(), opened()];
  assert.equal(listening(), before + 4);
  for (const { stream } of streams) stream.close();
  assert.equal(listening(), before);
});
