// Every text is there in both languages, with the same places for what is put into it.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

const WORDS = new URL("../../groupx/web/static/js/words/", import.meta.url);
const tables = readdirSync(WORDS).filter((name) => name !== "index.js");
const places = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

for (const name of tables) {
  test(name, async () => {
    const { en, zh } = await import(new URL(name, WORDS).href);
    assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
    for (const key of Object.keys(en)) assert.deepEqual(places(zh[key]), places(en[key]), key);
  });
}

test("no two tables give one key", async () => {
  const seen = new Map();
  for (const name of tables) {
    const { en } = await import(new URL(name, WORDS).href);
    for (const key of Object.keys(en)) {
      assert.equal(seen.get(key), undefined, `${key} is in ${seen.get(key)} and ${name}`);
      seen.set(key, name);
    }
  }
});
