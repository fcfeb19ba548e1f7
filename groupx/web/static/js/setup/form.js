// The setup's form: programs, agents, assistant, and what becomes of a save.

import { ApiError, get, postPlain } from "../transport/api.js";
import { assignColours } from "../base/actors.js";
import { fill, h, say } from "../base/dom.js";
import { t } from "../words/index.js";
import { agentCard } from "./agent_card.js";
import { assistantCard } from "./assistant_card.js";
import { Checks } from "./checks.js";
import { SetupDraft } from "./draft.js";
import { Fields } from "./fields.js";
import { forgetDraft, keepDraft, keptDraft } from "./kept.js";
import { programList, programsExpected } from "./programs.js";
import { restart, whenReady } from "./runtime.js";

/** Keeps what was typed for as long as the page lives. `first`: there is no room yet. */
export class SetupForm {
  constructor({ first }) {
    this.first = first;
    this.fields = new Fields();
    this.checks = new Checks();
    this.status = h("div", { class: "setup-status", role: "status" });
    this.button = h("button", { class: "primary", type: "submit", disabled: true },
      t(first ? "setup.open" : "setup.save"));
    this.programs = h("div", null, programsExpected());
    this.checkNow = h("button", { class: "quiet", type: "button", onclick: () => this.check() }, t("setup.check"));
    this.agents = h("ul", { class: "agent-cards" });
    this.nobody = h("p", { class: "nobody" }, t("setup.nobody"));
    this.assistant = h("div");
    this.path = h("code");
    this.element = h("form", { class: "setup-form", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.save();
    }, oninput: () => this.keep(), onchange: () => this.keep(), onclick: () => this.keep() }, this.sections(), h("div", { class: "setup-bar" }, this.status, this.button));
  }

  sections() {
    const again = h("button", { class: "quiet", type: "button", onclick: () => this.lookAgain() }, t("setup.again"));
    const programs = h("section", { "aria-labelledby": "setup-programs" }, h("div", { class: "setup-head" },
      h("h2", { id: "setup-programs" }, t("setup.programs")), this.first ? null : this.checkNow, again), this.programs);
    const agents = h("section", { "aria-labelledby": "setup-agents" }, h("div", { class: "setup-head" },
      h("h2", { id: "setup-agents" }, t("setup.agents"))), this.nobody, this.agents);
    return [
      this.first ? [programs, agents] : [agents, programs],
      h("section", { "aria-labelledby": "setup-assistant" }, h("div", { class: "setup-head" },
        h("h2", { id: "setup-assistant" }, t("setup.assistant"))), this.assistant),
      h("p", { class: "note setup-file" }, t("setup.file"), " ", this.path),
    ];
  }

  /** Read the draft, once: what was edited stays. */
  async load() {
    if (this.draft) return;
    try {
      await this.readDraft(keptDraft());
    } catch (error) {
      fill(this.programs);
      this.offer({ words: error.message, tone: "bad", action: t("setup.load"), run: () => this.readDraft() });
    }
  }

  /** The file as it is now, in the place of what was edited; with what was `kept` of it, if that is of this file. */
  async readDraft(kept = null) {
    const answer = await get("/api/setup");
    this.say("");
    this.fields.clear();
    this.draft = new SetupDraft(answer);
    const restored = this.draft.restore(kept);
    if (!restored) forgetDraft();
    if (!restored && this.first && !this.draft.exists) this.suggest();
    this.untouched = JSON.stringify(this.draft.kept());
    this.draw();
    this.button.disabled = false;
    if (this.first) this.check();
    this.sayWaiting("");
    if (restored) {
      this.offer({ words: t("setup.restored"), tone: "warn", action: t("setup.discard"), run: () => this.readDraft() });
    }
  }

  /** Whatever was just done, after it was done. */
  keep() {
    if (!this.draft) return;
    const kept = this.draft.kept();
    if (JSON.stringify(kept) !== this.untouched) keepDraft(kept);
  }

  /** A newcomer begins with what is installed and would work. */
  suggest() {
    for (const program of this.draft.programs) {
      if (program.found && !program.problem && program.driver !== "demo") this.draft.add(program.driver);
    }
  }

  draw() {
    const { draft } = this;
    this.path.textContent = draft.path;
    if (this.first) assignColours([...draft.programs.map(({ driver }) => `agent:${driver}`), "agent:acp"]);
    this.drawAgents();
    fill(this.assistant, assistantCard(draft, this.fields));
  }

  /** A newcomer is told by itself; in a room that works nothing is started that nobody asked for. */
  check() {
    if (this.draft) this.checks.run(this.draft.programs);
  }

  drawPrograms() {
    fill(this.programs, programList(this.draft, this.checks, (driver) => this.add(driver)));
  }

  drawAgents() {
    const { draft, fields } = this;
    const cards = draft.entries.map((entry) => agentCard({ draft, entry, fields, onRemove: () => this.remove(entry) }));
    fill(this.agents, cards);
    this.nobody.hidden = cards.length > 0;
    this.drawPrograms();
  }

  add(driver) {
    const { draft, fields } = this;
    const entry = draft.add(driver);
    const card = agentCard({ draft, entry, fields, onRemove: () => this.remove(entry) });
    this.agents.append(card);
    this.nobody.hidden = true;
    this.drawPrograms();
    this.say(t("setup.added", { name: entry.agent.name || entry.id }));
    if (driver === "acp") card.querySelector("details").open = true;
    card.querySelector("input[type=text]").focus();
    card.scrollIntoView({ block: "nearest" });
  }

  remove(entry) {
    this.draft.remove(entry);
    this.drawAgents();
    this.say(t("setup.removed", { name: entry.agent.name || entry.id }));
    (this.agents.querySelector("button") ?? this.programs.querySelector("button"))?.focus();
  }

  async lookAgain() {
    if (!this.draft) return;
    this.say(t("setup.looking"));
    try {
      const { programs } = await get("/api/setup");
      this.draft.programs = programs;
      this.drawPrograms();
      if (this.first) this.check();
      this.say(t("setup.looked", { n: programs.filter((program) => program.found && program.driver !== "demo").length }));
    } catch (error) {
      this.say(error.message, "bad");
    }
  }

  async save() {
    if (this.button.disabled) return;
    this.fields.clear();
    const problems = this.draft.problems();
    for (const { path, key } of problems.reverse()) this.complain(path, t(key));
    if (problems.length) return;
    this.button.disabled = true;
    this.say(t("setup.saving"));
    try {
      await postPlain("/api/setup", { revision: this.draft.revision, config: this.draft.config() });
      await this.saved();
    } catch (error) {
      this.refused(error);
    }
    this.button.disabled = false;
  }

  async saved() {
    forgetDraft();
    this.untouched = JSON.stringify(this.draft.kept());
    if (!this.first) {
      await this.readDraft();
      this.sayWaiting(t("setup.saved"));
      return;
    }
    try {
      await this.opening();
    } catch (error) {
      this.offer({ words: error.message, tone: "bad", action: t("load.retry"), run: () => this.opening() });
    }
  }

  /** Until the room is there in the wizard's place. */
  async opening() {
    this.say(t("setup.opening"));
    await whenReady();
    location.replace("/");
  }

  refused(error) {
    /** @type {Record<string, any>} */
    const details = error instanceof ApiError ? error.details ?? {} : {};
    const { path, found, allowed } = details;
    if (path !== undefined) this.complain(path, t("setup.wrong.other", { found, allowed }));
    else if (error.code === "STORE_CONFLICT") {
      this.offer({ words: error.message, tone: "bad", action: t("setup.load"), run: () => this.readDraft() });
    } else this.say(error.message, "bad");
  }

  /** Beside the field, if there is one, and the focus in it. */
  complain(path, message) {
    const field = this.fields.complain(path, message);
    if (!field) {
      this.say(!path || path === "agents" ? message : `${path}: ${message}`, "bad");
      if (path === "agents") this.programs.querySelector("button").focus();
      return;
    }
    this.say(t("setup.wrong"), "bad");
    const folded = field.element.closest("details");
    if (folded) folded.open = true;
    field.input?.focus();
    field.element.scrollIntoView({ block: "center" });
  }

  /** What of the settings waits, with the way to have it; `nothing`: to say if all is in effect. */
  sayWaiting(nothing) {
    const { restartRequired, pendingPort } = this.draft;
    if (restartRequired) this.offerRestart();
    else if (pendingPort) this.say(t("setup.pending.port", { port: pendingPort }), "warn");
    else if (nothing) this.say(nothing, "good");
  }

  offerRestart() {
    this.offer({ words: t("setup.pending"), tone: "warn", action: t("setup.restart"), run: () => {
      this.say(t("setup.restarting"));
      return restart();
    } });
  }

  /** Words and what can be done; when that fails, why, and the same again. */
  offer({ words, tone, action, run }) {
    const go = h("button", { class: "button", type: "button", onclick: async () => {
      go.disabled = true;
      try {
        await run();
      } catch (error) {
        this.offer({ words: error.message, tone: "bad", action, run });
      }
    } }, action);
    this.say("", tone);
    fill(this.status, h("span", null, words), go);
  }

  say(text, tone = "") {
    this.status.dataset.tone = tone;
    say(this.status, text);
    this.status.hidden = false;
  }
}
