// The config while it is edited. What no field shows stays in the document as it is. No DOM.

/**
 * @typedef {{ id: string, isNew: boolean, driver: string, agent: Record<string, any>, saved: string[] }} Entry
 *   `saved`: the variables whose values the file has
 * @typedef {{ path: string, key: string, values?: Record<string, string> }} Problem
 *   `path` in the document, `key` of a word
 */

import { commandWords } from "./command.js";

export const BUILT_IN = ["codex", "claude", "kimi", "grok", "hermes"];
const ID = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;
const RESERVED = ["assistant", "__assistant__"];
const MAX_NAME = 80;

export class SetupDraft {
  /** @param {any} answer of GET /api/setup */
  constructor(answer) {
    this.take(answer);
    this.document = answer.config;
    /** @type {Entry[]} */
    this.entries = Object.entries(answer.config.agents).map(([id, agent]) => ({
      id, isNew: false, driver: agent.driver ?? id.toLowerCase(), agent, saved: Object.keys(agent.env ?? {}),
    }));
    this.assistant = answer.config.assistant ?? null;
    this.savedOfAssistant = Object.keys(this.assistant?.brain.env ?? {});
  }

  /** What is known besides the document. */
  take(answer) {
    this.revision = answer.revision;
    this.path = answer.path;
    this.exists = answer.exists;
    this.programs = answer.programs;
    this.drivers = new Map(answer.drivers.map((driver) => [driver.driver, driver]));
    this.restartRequired = answer.restartRequired;
    this.pendingPort = answer.pendingPort;
  }

  get folder() {
    return this.path.replace(/\/[^/]*$/, "") || "/";
  }

  /** Where a relative folder leads. */
  resolved(cwd) {
    if (!cwd || cwd.startsWith("/")) return cwd;
    const rest = cwd.split("/").filter((part) => part && part !== ".");
    return [this.folder.replace(/\/$/, ""), ...rest].join("/") || "/";
  }

  /** Another agent of this driver, with an id that is free. */
  add(driver) {
    const offer = this.drivers.get(driver) ?? { driver, name: driver, command: [] };
    const id = this.freeId(driver === "acp" ? "agent" : driver);
    /** @type {Record<string, any>} */
    const agent = { ...(id === driver && BUILT_IN.includes(driver) ? {} : { driver }), name: this.freeName(offer, id) };
    if (driver !== "demo") agent.command = offer.command[0] ?? "";
    agent.cwd = ".";
    const entry = { id, isNew: true, driver, agent, saved: [] };
    this.entries.push(entry);
    return entry;
  }

  freeId(base) {
    const taken = new Set(this.entries.map((entry) => entry.id.toLowerCase()));
    if (!taken.has(base)) return base;
    let number = 2;
    while (taken.has(`${base}-${number}`)) number += 1;
    return `${base}-${number}`;
  }

  freeName(offer, id) {
    const name = offer.driver === "acp" ? "Agent" : offer.name;
    const number = id.match(/-(\d+)$/)?.[1];
    return number ? `${name} ${number}` : name;
  }

  remove(entry) {
    this.entries = this.entries.filter((one) => one !== entry);
  }

  /** The driver of an agent must be named unless its id says it. */
  rename(entry, id) {
    entry.id = id;
    if (!entry.isNew) return;
    if (id === entry.driver && BUILT_IN.includes(id)) delete entry.agent.driver;
    else entry.agent.driver = entry.driver;
  }

  /** The whole document, as it would be saved. */
  config() {
    const agents = Object.fromEntries(this.entries.map(({ id, agent }) => [id, tidy(agent)]));
    const { assistant: _, ...rest } = this.document;
    return { ...rest, agents, ...(this.assistant ? { assistant: this.assistant } : {}) };
  }

  /** What was edited, to be restored later; the values of variables are not in it. */
  kept() {
    const { revision, path, assistant } = this;
    return { revision, path,
      entries: this.entries.map((entry) => ({ ...entry, agent: withoutValues(entry.agent, entry.saved) })),
      assistant: assistant && { ...assistant, brain: withoutValues(assistant.brain, this.savedOfAssistant) } };
  }

  /** Take up what was kept; whether it is of the file as it is now. */
  restore(kept) {
    if (kept?.revision !== this.revision || kept.path !== this.path) return false;
    this.entries = kept.entries;
    this.assistant = kept.assistant;
    return true;
  }

  /** @returns {Problem[]} What can be told without asking; the daemon checks everything. */
  problems() {
    const found = [];
    const seen = new Set();
    for (const entry of this.entries) {
      const at = `agents.${entry.id}`;
      const id = entry.id.toLowerCase();
      if (!ID.test(entry.id)) found.push({ path: at, key: "setup.wrong.id" });
      else if (RESERVED.includes(id)) found.push({ path: at, key: "setup.wrong.reserved" });
      else if (seen.has(id)) found.push({ path: at, key: "setup.wrong.twice" });
      seen.add(id);
      found.push(...programProblems(at, entry.driver, entry.agent));
    }
    if (!this.entries.some(({ agent }) => agent.enabled !== false)) {
      found.push({ path: "agents", key: "setup.wrong.nobody" });
    }
    if (this.assistant) {
      if (!this.assistant.name.trim()) found.push({ path: "assistant.name", key: "setup.wrong.name" });
      found.push(...programProblems("assistant.brain", this.assistant.brain.driver, this.assistant.brain));
    }
    return found;
  }
}

function programProblems(at, driver, program) {
  const found = [];
  const name = program.name ?? "x";
  if (!name.trim() || [...name.trim()].length > MAX_NAME) found.push({ path: `${at}.name`, key: "setup.wrong.name" });
  if (driver !== "demo" && empty(program.command)) found.push({ path: `${at}.command`, key: "setup.wrong.command" });
  if (!program.cwd?.trim() || program.cwd.startsWith("~")) found.push({ path: `${at}.cwd`, key: "setup.wrong.cwd" });
  return found;
}

function empty(command) {
  if (typeof command === "string") return commandWords(command).length === 0;
  return Array.isArray(command) ? !command[0] : !command?.executable;
}

/** A program whose variables are as the file has them; those that it does not have are left out. */
function withoutValues(program, saved) {
  if (!program.env) return program;
  const names = Object.keys(program.env).filter((name) => program.env[name] === null || saved.includes(name));
  return { ...program, env: Object.fromEntries(names.map((name) => [name, null])) };
}

/** Without what says nothing. */
function tidy(agent) {
  const kept = { ...agent };
  if (kept.identity === "") delete kept.identity;
  if (kept.mode === "") delete kept.mode;
  if (kept.args?.length === 0) delete kept.args;
  if (kept.enabled === true) delete kept.enabled;
  if (kept.env && !Object.keys(kept.env).length) delete kept.env;
  return kept;
}
