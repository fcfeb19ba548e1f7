// The search without a page: what of an excerpt counts, and which of many questions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf } from "../../groupx/web/static/js/search/address.js";
import { parseExcerpt, readableExcerpt } from "../../groupx/web/static/js/search/excerpt.js";
import { Finder } from "../../groupx/web/static/js/search/finder.js";

const text = (html) => parseExcerpt(html).map((part) => part.text).join("");

test("only <mark> marks; everything else stays text", () => {
  assert.deepEqual(parseExcerpt("a <mark>b</mark> c"), [
    { text: "a ", marked: false }, { text: "b", marked: true }, { text: " c", marked: false },
  ]);
  const evil = '<img src=x onerror=alert(1)><MARK onclick="x">b</MARK>';
  assert.deepEqual(parseExcerpt(evil), [{ text: evil, marked: false }]);
});

test("the marks of Markdown around a hit are left out, and nothing else", () => {
  const read = (html) => readableExcerpt(html).map((part) => (part.marked ? `[${part.text}]` : part.text)).join("");
  assert.equal(read("We release **on <mark>Fridays</mark>**, `never`"), "We release on [Fridays], never");
  assert.equal(read("| who | |---|:---:| | <mark>Bob</mark> |"), "| who |   | [Bob] |");
  assert.equal(read("a | b *<mark>c</mark> 2 * 3 &lt;<mark>d</mark>&gt;"), "a | b *[c] 2 * 3 <[d]>");
  assert.equal(read("\ue000x\ue001 &lt;mark&gt;y&lt;/mark&gt;"), "x <mark>y</mark>");
});

test("entities are read once", () => {
  assert.equal(text("&amp;lt; &lt;b&gt; &quot;&#39;&#x4e2d; &nosuch; &#9999999;"), "&lt; <b> \"'中 &nosuch; &#9999999;");
});

/** A finder whose answers come when the test says so. */
function asked() {
  const questions = [];
  const shown = [];
  const ask = (query, cursor, signal) =>
    new Promise((resolve, reject) => questions.push({ query, cursor, signal, resolve, reject }));
  const finder = new Finder(ask, (found) => shown.push(found), 0);
  const question = async (n) => {
    while (questions.length < n) await new Promise(setImmediate);
    return questions[n - 1];
  };
  return { finder, shown, question };
}

const settled = () => new Promise(setImmediate);

test("a late answer to an old question is not shown", async () => {
  const { finder, shown, question } = asked();
  finder.typed("a");
  const first = await question(1);
  finder.typed("ab");
  assert.equal(first.signal.aborted, true);
  (await question(2)).resolve({ results: ["new"] });
  await settled();
  first.resolve({ results: ["old"] });
  await settled();
  assert.deepEqual([shown.at(-1).state, shown.at(-1).results], ["found", ["new"]]);
});

test("more goes on behind what is shown; blanks ask nothing; a refusal can be repeated", async () => {
  const { finder, shown, question } = asked();
  finder.typed("   ");
  assert.equal(shown.length, 0);
  finder.typed("a");
  (await question(1)).resolve({ results: [1], nextCursor: "7" });
  await settled();
  finder.more();
  const second = await question(2);
  assert.equal(second.cursor, "7");
  second.resolve({ results: [2] });
  await settled();
  assert.deepEqual(shown.at(-1).results, [1, 2]);
  assert.equal(shown.at(-1).nextCursor, undefined);
  finder.typed("b");
  (await question(3)).reject(new Error("busy"));
  await settled();
  assert.equal(shown.at(-1).state, "failed");
  finder.again();
  assert.equal((await question(4)).query, "b");
});

test("a hit leads to where it is kept", () => {
  const room = { roomId: "room:main", active: true };
  const address = (hit) => addressOf({ id: "x", ...hit }, room);
  assert.equal(address({ kind: "memory", roomId: "room:main" }), "#/memory/x");
  assert.equal(address({ kind: "memory", roomId: "room:old" }), "#/room/room%3Aold/memory/x");
  for (const roomId of ["room:main", "room:old"]) {
    assert.equal(address({ kind: "memory", roomId, ownerActorId: "agent:ada" }), "#/agent/ada/memory/x");
    assert.equal(address({ kind: "identity", roomId, ownerActorId: "agent:ada" }), "#/agent/ada/identity/x");
  }
  assert.equal(address({ kind: "dispatch", id: "evt_1", roomId: "room:old" }), "#/room/room%3Aold/evt_1");
  assert.equal(address({ kind: "message", id: "evt_1", roomId: "room:main" }), "#evt_1");
});
