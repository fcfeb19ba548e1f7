// When the page is drawn: once for many events, no oftener than can be read, and without frames in a hidden tab.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Painter } from "../../../groupx/web/static/js/frame/painter.js";

const FRAME_MS = 16;
let frames = new Map();
let isHidden = false;
let drawn = [];
let painter;

/** Let time pass, with a frame now and then while the tab is seen. */
function pass(ms) {
  for (let at = 0; at < ms; at++) {
    mock.timers.tick(1);
    if (isHidden || Date.now() % FRAME_MS) continue;
    const due = [...frames.values()];
    frames.clear();
    for (const run of due) run();
  }
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  frames = new Map();
  isHidden = false;
  drawn = [];
  let count = 0;
  Object.assign(globalThis, {
    requestAnimationFrame: (run) => frames.set(++count, run) && count,
    cancelAnimationFrame: (id) => frames.delete(id),
  });
  mock.method(performance, "now", () => Date.now());
  painter = new Painter((keys, agents) => drawn.push({ at: Date.now(), keys: [...keys], agents }));
});

test("what comes before a frame is drawn by it, at once and together", () => {
  painter.changed(["a"], false);
  painter.changed(["b", "a"], true);
  pass(FRAME_MS);
  assert.deepEqual(drawn, [{ at: FRAME_MS, keys: ["a", "b"], agents: true }]);
});

test("a stream is drawn at a steady pace, and never between two frames", () => {
  for (let at = 0; at < 1000; at += 5) {
    painter.changed(["a"], false);
    pass(5);
  }
  assert.ok(drawn.length >= 15 && drawn.length <= 25, `${drawn.length} times a second`);
  assert.ok(drawn.every(({ at }) => at % FRAME_MS === 0), JSON.stringify(drawn));
  pass(1000);
  const after = drawn.length;
  pass(1000);
  assert.equal(drawn.length, after, "nothing is drawn when nothing comes");
});

test("what was drawn on demand is not drawn again by what was planned", () => {
  painter.changed(["a"], false);
  painter.now();
  pass(1000);
  assert.deepEqual(drawn.map(({ keys }) => keys), [["a"]]);
});

test("a hidden tab is drawn now and then, and at its next frame when it is seen", () => {
  isHidden = true;
  for (let at = 0; at < 1000; at += 5) {
    painter.changed(["a"], false);
    pass(5);
  }
  assert.ok(drawn.length >= 2 && drawn.length <= 4, `${drawn.length} times`);
  painter.changed(["b"], false);
  const before = drawn.length;
  isHidden = false;
  pass(60);
  assert.equal(drawn.length, before + 1);
});
