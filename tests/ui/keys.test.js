// The table of keys: what each does, and that the dialog has words for all of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { actionOf, KEYS, WRITING, keyName } from "../../groupx/web/static/js/frame/keys.js";
import { en } from "../../groupx/web/static/js/words/keys.js";
import { en as common } from "../../groupx/web/static/js/words/frame.js";

const press = (key, more = {}) => ({ key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
const action = (event, typing = false, atEntry = false) => actionOf(event, typing, atEntry)?.action ?? null;

test("no key does two things, and each has its words", () => {
  const all = KEYS.flatMap(({ keys }) => keys);
  assert.equal(new Set(all).size, all.length);
  for (const row of [...KEYS, ...WRITING]) assert.ok(`keys.${row.action}` in { ...common, ...en }, row.action);
});

test("every row of one key is obeyed", () => {
  for (const row of KEYS) {
    for (const key of row.keys.filter((name) => !name.includes("+"))) assert.equal(action(press(key), false, row.atEntry), row.action);
  }
  assert.equal(action(press("K", { metaKey: true })), "search");
  assert.equal(action(press("k", { ctrlKey: true })), "search");
  assert.deepEqual(actionOf(press("™", { altKey: true, code: "Digit2" }), false), { action: "agent", n: 2 });
});

test("letters are letters while one writes, and with a modifier they are the browser's", () => {
  for (const key of ["j", "?", "/", "G", "r"]) assert.equal(action(press(key), true), null, key);
  assert.equal(action(press("k", { ctrlKey: true }), true), "search");
  assert.equal(action(press("Escape"), true), "close");
  for (const key of ["r", "c", "a"]) assert.equal(action(press(key, { ctrlKey: true })), null, key);
  assert.equal(action(press("0", { altKey: true, code: "Digit0" })), null);
});

test("arrows lead from message to message only where one has the focus, and select with Shift", () => {
  for (const [key, wanted] of [["ArrowDown", "next"], ["ArrowUp", "previous"]]) {
    assert.equal(action(press(key), false, true), wanted);
    assert.equal(action(press(key)), null, "they scroll");
    assert.equal(action(press(key), true), null, "they move the caret");
    for (const held of ["shiftKey", "ctrlKey", "metaKey", "altKey"]) {
      assert.equal(action(press(key, { [held]: true }), false, true), null, held);
    }
  }
});

test("keys are written as they stand on a keyboard", () => {
  const names = ["Mod+k", "Escape", "Shift+Enter", "Alt+1…9", "G", "j", "ArrowUp", "ArrowDown"];
  assert.deepEqual(names.map((name) => keyName(name, false)), ["Ctrl+K", "Esc", "Shift+Enter", "Alt+1…9", "G", "j", "↑", "↓"]);
  assert.equal(keyName("Mod+k", true), "⌘K");
});
