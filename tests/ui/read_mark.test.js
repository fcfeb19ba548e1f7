// What stands under "New since you were here" was there when the room was opened, and not before.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser_world.js";
import { ReadMark } from "../../groupx/web/static/js/room/read_mark.js";

const opened = (read, seq) => {
  localStorage.getItem = () => read;
  const mark = new ReadMark({ room: { roomId: "room:main" }, seq }, () => true);
  mark.opened();
  return mark;
};
const first = (mark, seqs) => seqs.filter((seq, n) => mark.isFirstNew({ seq }, n ? { seq: seqs[n - 1] } : undefined));

test("the first that came while nobody looked", () => {
  assert.deepEqual(first(opened("4", 7), [2, 4, 5, 7]), [5]);
});

test("what comes while one looks is not new, nor is anything at the first visit", () => {
  assert.deepEqual(first(opened("7", 7), [4, 7, 8, 9]), []);
  assert.deepEqual(first(opened(null, 7), [4, 7, 8]), []);
});
