// What waits for a start is said with the start that brings it.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../browser_world.js";

const { waitingLines } = await import("../../../groupx/web/static/js/setup/pending.js");

const AGENTS = /^The settings of @bob, @eve were changed/;
const SETTINGS = /^The settings were changed/;
const PORT = /^Port 4320 takes effect at the next “groupx restart”/;

for (const [name, waiting, lines] of [
  ["nothing", { restartRequired: false, pendingRestart: [] }, []],
  ["settings", { restartRequired: true, pendingRestart: [] }, [SETTINGS]],
  ["agents", { restartRequired: true, pendingRestart: ["agent:bob", "agent:eve"] }, [AGENTS]],
  ["a port alone", { restartRequired: false, pendingRestart: [], pendingPort: 4320 }, [PORT]],
  ["settings and a port", { restartRequired: true, pendingRestart: [], pendingPort: 4320 }, [SETTINGS, PORT]],
]) {
  test(name, () => {
    const said = waitingLines(waiting);
    assert.equal(said.length, lines.length);
    lines.forEach((line, index) => assert.match(said[index], line));
  });
}
