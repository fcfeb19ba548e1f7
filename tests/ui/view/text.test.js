// Text that grows at its end: what is shown stays, and it looks like one text however it came.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../elements.js";

const { GrowingText } = await import("../../../groupx/web/static/js/view/text.js");

const blocksOf = (text) => text.element.children.map(({ children: [node] }) => node.data);

function grown(whole, step) {
  const text = new GrowingText();
  for (let end = step; end < whole.length + step; end += step) text.set(whole.slice(0, end));
  return blocksOf(text);
}

const LINES = Array.from({ length: 900 }, (_, n) => `line ${n} ${"of a text ".repeat(n % 9)}\n`).join("");

for (const step of [7, 150, 40_000]) {
  test(`in pieces of ${step} every block but the last ends where a line does`, () => {
    const blocks = grown(LINES, step);
    assert.equal(blocks.join(""), LINES);
    assert.ok(blocks.length > 10);
    for (const block of blocks.slice(0, -1)) assert.ok(block.endsWith("\n") && block.length < 2000, block.slice(-20));
  });
}

test("a paragraph is one block, and one without an end is cut at last", () => {
  assert.equal(grown("word ".repeat(2000), 10).length, 1);
  const endless = grown("x".repeat(50_000), 100);
  assert.deepEqual(endless.map((block) => block.length <= 16_100), Array(endless.length).fill(true));
  assert.equal(endless.join("").length, 50_000);
});

test("a text that began anew takes the place of what was shown", () => {
  const text = new GrowingText();
  text.set("something else, and longer");
  text.set("anew");
  assert.deepEqual(blocksOf(text), ["anew"]);
});
