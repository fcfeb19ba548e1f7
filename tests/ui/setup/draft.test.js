// The config as the setup's form edits it: nothing is lost, and what is wrong has a place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { commandText, commandValue, commandWords } from "../../../groupx/web/static/js/setup/command.js";
import { SetupDraft } from "../../../groupx/web/static/js/setup/draft.js";

const DRIVERS = [
  { driver: "codex", name: "Codex", command: ["codex"] },
  { driver: "demo", name: "Demo agent", command: [] },
  { driver: "acp", name: "ACP", command: [], takesArgs: true },
];

function draft(config = { agents: {} }) {
  return new SetupDraft({ revision: "r", path: "/home/you/groupx.json", exists: true, config: structuredClone(config),
    programs: [], drivers: DRIVERS, restartRequired: false });
}

test("an unchanged document is sent as it came", () => {
  const config = {
    server: { port: 1 }, limits: { rootTurns: 9 },
    agents: { codex: { command: { executable: "codex", prefixArgs: ["x"] }, cwd: ".", env: { KEY: null } },
      "a.b": { driver: "acp", command: ["npx", "-y", "it"], args: ["--acp"], cwd: "/", enabled: false } },
    assistant: { enabled: false, name: "Ann", brain: { driver: "demo", cwd: "." } },
  };
  const edited = draft(config);
  assert.deepEqual(edited.config(), config);
  assert.deepEqual(edited.problems(), []);
});

test("agents of one driver get ids of their own, and name the driver where the id does not", () => {
  const edited = draft();
  const [first, second] = [edited.add("codex"), edited.add("codex")];
  edited.add("demo");
  assert.deepEqual(edited.config().agents, {
    codex: { name: "Codex", command: "codex", cwd: "." },
    "codex-2": { driver: "codex", name: "Codex 2", command: "codex", cwd: "." },
    demo: { driver: "demo", name: "Demo agent", cwd: "." },
  });
  edited.rename(first, "first");
  assert.equal(first.agent.driver, "codex");
  edited.rename(second, "codex");
  assert.equal(second.agent.driver, undefined);
});

test("what is wrong has a place", () => {
  const edited = draft();
  assert.deepEqual(edited.problems().map(({ path }) => path), ["agents"]);
  const acp = edited.add("acp");
  assert.deepEqual(edited.problems().map(({ path }) => path), ["agents.agent.command"]);
  acp.agent.name = " ";
  assert.deepEqual(edited.problems().map(({ path }) => path), ["agents.agent.name", "agents.agent.command"]);
  Object.assign(acp.agent, { name: "A", command: "a", cwd: "~/x" });
  assert.deepEqual(edited.problems(), [{ path: "agents.agent.cwd", key: "setup.wrong.cwd" }]);
  acp.agent.cwd = ".";
  for (const [id, key] of [["a b", "id"], ["Assistant", "reserved"], ["DEMO", "twice"]]) {
    edited.entries = [acp];
    edited.add("demo");
    edited.entries.reverse();
    edited.rename(acp, id);
    assert.deepEqual(edited.problems(), [{ path: `agents.${id}`, key: `setup.wrong.${key}` }]);
  }
});

test("a folder is shown as where it leads", () => {
  const edited = draft();
  for (const [cwd, path] of [[".", "/home/you"], ["./x/y", "/home/you/x/y"], ["/z", "/z"], ["", ""]]) {
    assert.equal(edited.resolved(cwd), path);
  }
});

test("a command is typed as a line and kept as words", () => {
  for (const words of [["kimi"], ["npx", "-y", "a b"], ["x", 'say "hi"', "it's"], ["ssh", "-T", "", "codex"]]) {
    assert.deepEqual(commandWords(commandText(words)), words);
  }
  assert.equal(commandValue("  kimi "), "kimi");
  assert.deepEqual(commandValue('"my program" --x'), ["my program", "--x"]);
  assert.equal(commandText({ executable: "kimi", prefixArgs: ["a"] }), "kimi a");
  for (const nothing of [undefined, null, ""]) assert.equal(commandText(nothing), "");
  assert.deepEqual(commandWords('one "open end'), ["one", "open end"]);
});

test("what was typed is there again over a reload, without the values of variables", () => {
  const config = { agents: { codex: { cwd: ".", env: { KEPT: null, CHANGED: null } } },
    assistant: { enabled: true, name: "Ann", brain: { driver: "demo", cwd: ".", env: { KEPT: null } } } };
  const edited = draft(config);
  edited.entries[0].agent.name = "Cody";
  Object.assign(edited.entries[0].agent.env, { CHANGED: "s3cret", NEW: "s3cret" });
  edited.assistant.brain.env.NEW = "s3cret";
  edited.add("demo");
  const kept = JSON.stringify(edited.kept());
  assert.ok(!kept.includes("s3cret"));
  const again = draft(config);
  assert.ok(again.restore(JSON.parse(kept)));
  assert.deepEqual(again.config(), {
    agents: { codex: { cwd: ".", name: "Cody", env: { KEPT: null, CHANGED: null } },
      demo: { driver: "demo", name: "Demo agent", cwd: "." } },
    assistant: config.assistant,
  });
});

test("what was typed into another file, or before it changed, is not taken up", () => {
  const edited = draft();
  edited.add("codex");
  for (const change of [{ revision: "later" }, { path: "/elsewhere/groupx.json" }]) {
    const again = draft();
    assert.ok(!again.restore({ ...edited.kept(), ...change }));
    assert.deepEqual(again.config(), { agents: {} });
  }
  assert.ok(!draft().restore(null));
});
