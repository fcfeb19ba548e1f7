// What an input method is given is no key of the page, wherever keys are heard.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { isComposed } from "../../groupx/web/static/js/base/composing.js";

const ROOT = new URL("../../groupx/web/static/js/", import.meta.url);

test("a key of a composition is known, also the last one in Safari", () => {
  assert.ok(isComposed({ isComposing: true, keyCode: 13 }));
  assert.ok(isComposed({ isComposing: false, keyCode: 229 }));
  assert.ok(!isComposed({ isComposing: false, keyCode: 13 }));
});

test("every part that hears keys asks whether they are composed", () => {
  const parts = readdirSync(ROOT, { recursive: true }).filter((name) => name.endsWith(".js"));
  const deaf = parts.filter((name) => {
    const text = readFileSync(new URL(name, ROOT), "utf8");
    return /keydown|keypress|keyup/.test(text) && !/isComposed\(event\)/.test(text);
  });
  assert.deepEqual(deaf, []);
});
