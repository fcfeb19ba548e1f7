// What may be done with a record, where it stands, and loading again.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CompactionWatch, compactionNow } from "../../../groupx/web/static/js/panels/memory/compaction.js";
import { allowed, byGroup, identityGroup } from "../../../groupx/web/static/js/panels/records/kinds.js";
import { Refresher } from "../../../groupx/web/static/js/panels/refresher.js";

const memory = (more) => ({ memoryId: "m", status: "active", kind: "fact", ...more });

test("what may be done follows what the daemon allows", () => {
  const cases = [
    [memory({}), { edit: true, retract: true }],
    [memory({ agentMemoryType: "core" }), { edit: true, retract: true }],
    [memory({ agentMemoryType: "dated", kind: "summary", sourceKind: "automatic_rollup" }), { edit: false, retract: true }],
    [memory({ kind: "summary", sourceKind: "generated_summary" }), { edit: false, retract: false }],
    [memory({ status: "superseded" }), { edit: false, retract: false }],
    [memory({ status: "retracted" }), { edit: false, retract: false }],
  ];
  for (const [record, expected] of cases) assert.deepEqual(allowed(record), expected);
});

test("identities stand by who said it, each group in its order", () => {
  const said = (identityId, authorActorId) => ({ identityId, authorActorId, subjectActorId: "agent:a" });
  const all = [said("1", "agent:b"), said("2", "user:web"), said("3", "agent:a"), said("4", "user:assistant"), said("5", "agent:c")];
  assert.deepEqual(all.map(identityGroup), ["observed", "user", "self", "user", "observed"]);
  assert.deepEqual(byGroup(all).map((it) => it.identityId), ["2", "4", "3", "1", "5"]);
});

test("a compaction runs until it is done or has failed", () => {
  const step = (name, body = {}) => compactionNow({ type: `context.compaction.${name}`, body });
  assert.deepEqual([step("started").running, step("started").word], [true, "context.step.started"]);
  assert.equal(step("started", { pass: 3 }).word, "context.step.pass");
  assert.equal(step("retrying", { attempt: 2 }).values.attempt, 2);
  assert.deepEqual([step("cancelled").running, step("cancelled").word], [false, "context.step.cancelled"]);
  assert.deepEqual([step("completed").running, step("failed", { errorCode: "X" }).values.code], [false, "X"]);
});

test("what is asked for while one load runs becomes one more load", async () => {
  let loads = 0;
  let go;
  const refresher = new Refresher(() => new Promise((resolve) => {
    loads += 1;
    go = resolve;
  }));
  const first = refresher.ask();
  refresher.ask();
  refresher.ask();
  assert.equal(loads, 1);
  go();
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(loads, 2);
  go();
  await first;
  assert.equal(loads, 2);
});

test("a refused load is told to who asked, and the next one is made", async () => {
  let fails = true;
  const refresher = new Refresher(async () => {
    if (fails) throw new Error("no");
  });
  await assert.rejects(refresher.ask(), /no/);
  fails = false;
  await refresher.ask();
});

test("what the room's context says of its last compaction is shown while it runs, and news of its end", () => {
  const watch = new CompactionWatch();
  assert.equal(watch.read(undefined), null);
  assert.equal(watch.read({ compactionId: "c0", state: "completed", passes: 1 }), null);
  const running = watch.read({ compactionId: "c1", state: "running", passes: 3 });
  assert.deepEqual([running.word, running.values.pass, watch.running], ["context.step.pass", 3, true]);
  assert.equal(watch.answer({ compactionId: "c1" }), null);
  const done = watch.read({ compactionId: "c1", state: "completed", passes: 4 });
  assert.deepEqual([done.word, watch.running], ["context.step.completed", false]);
  const failed = { compactionId: "c2", state: "failed", passes: 1, errorCode: "X", message: "Nobody could." };
  assert.deepEqual([watch.read(failed).values.code, watch.read(failed)], ["X", null]);
  assert.equal(new CompactionWatch().read(failed).message, "Nobody could.");
  watch.read({ compactionId: "c3", state: "running", passes: 1 });
  assert.equal(watch.read(undefined).running, false, "GroupX was started anew meanwhile");
});

test("the answer to the beginning of a compaction says nothing that the stream knows better", () => {
  const step = (name, compactionId) => ({ type: `context.compaction.${name}`, body: { compactionId } });
  for (const [name, running] of [["started", true], ["completed", false], ["failed", false]]) {
    const watch = new CompactionWatch();
    watch.event(step("completed", "c0"));
    assert.equal(watch.event(step(name, "c1")).running, running);
    assert.equal(watch.answer({ compactionId: "c1" }), null);
    assert.deepEqual(watch.answer({ compactionId: "c2" }), compactionNow(step("started", "c2")));
  }
});
