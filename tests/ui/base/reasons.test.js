// The reader's language first; what the daemon said in its own is never lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import "../browser_world.js";

Object.assign(globalThis, { localStorage: { getItem: () => "zh", setItem() {} } });
const { fullReason, original, reason } = await import("../../../groupx/web/static/js/base/reasons.js");
const { zh } = await import("../../../groupx/web/static/js/words/errors.js");

const SAID = "There is no turn 'nope'.";

test("a code is said in the page's language, the daemon's sentence beside it", () => {
  assert.equal(reason("NOT_FOUND", SAID), zh["error.NOT_FOUND"]);
  assert.equal(original("NOT_FOUND", SAID), SAID);
  assert.equal(fullReason("NOT_FOUND", SAID), `${zh["error.NOT_FOUND"]} ${SAID}`);
});

test("what has no words is said as the daemon said it, once", () => {
  assert.equal(reason("NEW_CODE", SAID), SAID);
  assert.equal(original("NEW_CODE", SAID), null);
  assert.equal(fullReason("NEW_CODE", SAID), SAID);
  assert.equal(fullReason(undefined, undefined), "");
});

test("a code without a sentence has words too", () => {
  assert.equal(reason("ADAPTER_EXITED", undefined), zh["error.ADAPTER_EXITED"]);
  assert.equal(original("ADAPTER_EXITED", undefined), null);
});
