// Agents look different from one another, whatever they are called.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { assignColours, colourClass, initialOf } from "../../groupx/web/static/js/base/actors.js";

const CSS = readFileSync(new URL("../../groupx/web/static/css/base.css", import.meta.url), "utf8");
const hueOf = Object.fromEntries([...CSS.matchAll(/\.(hue-\d+) \{ --h: (\d+)/g)].map(([, name, h]) => [name, Number(h)]));

/** The hues of a roster of so many. */
function hues(count) {
  const ids = Array.from({ length: count }, (_, n) => `agent:a${n}`);
  assignColours(ids);
  return ids.map((id) => hueOf[colourClass(id)]);
}

const apart = (a, b) => Math.min(Math.abs(a - b), 360 - Math.abs(a - b));
const nearest = (all) => Math.min(...all.flatMap((a, i) => all.slice(i + 1).map((b) => apart(a, b))));

test("the fewer agents, the farther apart their hues", () => {
  assert.equal(nearest(hues(3)) >= 90, true);
  assert.equal(nearest(hues(4)) >= 60, true);
  assert.equal(nearest(hues(6)) >= 30, true);
  assert.equal(new Set(hues(12)).size, 12);
});

test("an agent that joins at the end changes nobody else", () => {
  assert.deepEqual(hues(5).slice(0, 4), hues(4));
});

test("a name is shown by its first visible character", () => {
  const names = ["ada", "\u202Egnp.exe", "\u200B\u2066 bob", "小明", "😀 x", "\u0301e", " \u202E "];
  assert.deepEqual(names.map(initialOf), ["A", "G", "B", "小", "😀", "E", "?"]);
});
