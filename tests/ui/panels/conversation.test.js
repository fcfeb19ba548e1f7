// The side conversation as a page knows it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Conversation, deeds } from "../../../groupx/web/static/js/panels/assistant/conversation.js";

const page = (messages, previousPage = null) => ({ messages, previousPage });
const mine = (id, state) => ({ messageId: id, role: "user", content: id, clientCommandId: `c-${id}`, state });
const reply = (id) => ({ messageId: `${id}:reply`, role: "assistant", content: "r", replyToMessageId: id });
const shown = (talk) => talk.shown.map((message) => message.messageId);

test("what is said shows at once, and once", () => {
  const talk = new Conversation();
  talk.take(page([mine("a", "answered"), reply("a")]));
  talk.saying("c-b", "b");
  assert.deepEqual(shown(talk), ["a", "a:reply", "pending:c-b"]);
  talk.take(page([mine("a", "answered"), reply("a"), mine("b", "working")]));
  assert.deepEqual(shown(talk), ["a", "a:reply", "b"]);
});

test("what was refused is gone from the conversation", () => {
  const talk = new Conversation();
  talk.saying("c-b", "b");
  talk.notSaid("c-b");
  assert.deepEqual(shown(talk), []);
});

test("older pages stay while the newest is loaded again", () => {
  const talk = new Conversation();
  talk.take(page([mine("c", "answered")], { beforeId: "c" }));
  talk.prepend(page([mine("a", "answered"), mine("b", "answered")], { beforeId: "a" }));
  talk.take(page([mine("c", "answered"), reply("c")], { beforeId: "c" }));
  assert.deepEqual(shown(talk), ["a", "b", "c", "c:reply"]);
  assert.deepEqual(talk.previous, { beforeId: "a" });
});

test("messages are asked for again when another one is answered, and not while one grows", () => {
  const talk = new Conversation();
  const working = { enabled: true, state: "working", reply: { messageId: "a", text: "…" } };
  assert.equal(talk.outdatedBy(working), true);
  talk.standing = working;
  talk.take(page([mine("a", "working"), mine("b", "queued")]));
  assert.equal(talk.busy, true);
  assert.equal(talk.outdatedBy(working), false);
  assert.equal(talk.outdatedBy({ enabled: true, state: "starting" }), false);
  assert.equal(talk.outdatedBy({ enabled: true, state: "working", reply: { messageId: "b" } }), true);
  assert.equal(talk.outdatedBy({ enabled: true, state: "idle" }), true);
  assert.equal(talk.outdatedBy({ enabled: true, state: "failed" }), true);
});

test("a message behind a running reply is asked for until it is there", () => {
  const talk = new Conversation();
  const working = { enabled: true, state: "working", reply: { messageId: "a" } };
  talk.standing = working;
  talk.take(page([mine("a", "working")]));
  talk.saying("c-b", "b");
  assert.equal(talk.outdatedBy(working), true);
  talk.take(page([mine("a", "working"), mine("b", "queued")]));
  assert.equal(talk.outdatedBy(working), false);
});

test("nobody is asked again and again of a conversation at rest", () => {
  const talk = new Conversation();
  talk.standing = { enabled: true, state: "idle" };
  talk.take(page([mine("a", "answered"), reply("a"), mine("b", "failed"), mine("c", "unanswered")]));
  assert.equal(talk.busy, false);
  assert.equal(talk.outdatedBy({ enabled: true, state: "idle" }), false);
  assert.equal(talk.off, false);
  talk.standing = { enabled: false, state: "off" };
  assert.equal(talk.off, true);
});

test("what it did in the room is the assistant's own, the newest first", () => {
  const event = (seq, actorId) => ({ seq, actor: { actorId } });
  const found = deeds([event(1, "user:assistant"), event(2, "user:web"), event(3, "user:assistant"), event(null, "user:assistant")]);
  assert.deepEqual(found.map(({ seq }) => seq), [3, 1]);
});
