// Whether an agent is told memories, and whether dated ones are made of its work.

import { fill, h, say } from "../../base/dom.js";
import { datedElement } from "../../base/time.js";
import { policies } from "../../transport/remembered.js";
import { actionButton } from "../../view/actions.js";
import { has, t } from "../../words/index.js";
import { confirming } from "../parts.js";
import { Refresher } from "../refresher.js";

const GENERATIONS = ["enabled", "disabled", "excluded"];

function inWords({ useMemories, generation }) {
  return `${t(useMemories ? "policy.use" : "policy.useNot")}, ${t(`policy.${generation}`)}`;
}

export class PolicyForm {
  /** `roomId`: of an older room; null: of the one that goes on. */
  constructor(actorId, { readOnly, roomId }) {
    this.actorId = actorId;
    this.readOnly = readOnly;
    this.roomId = roomId;
    this.policy = null;
    this.use = h("input", { type: "checkbox", name: "useMemories", disabled: true });
    this.radios = GENERATIONS.map((value) => h("input", { type: "radio", name: "generation", value, disabled: true }));
    this.status = h("p", { class: "note" });
    this.note = h("p", { role: "status", hidden: true });
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.foot = h("div", { class: "buttons" });
    this.form = h("form", { class: "policy" },
      h("label", { class: "check" }, this.use, t("policy.use")),
      h("fieldset", null, h("legend", null, t("policy.generation")), this.radios.map((radio) =>
        h("label", { class: "check" }, radio, h("span", null, t(`policy.${radio.value}`),
          h("span", { class: "note" }, ` ${t(`policy.${radio.value}.hint`)}`))))),
      this.note, this.error, this.foot);
    this.form.addEventListener("change", () => this.changed());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.element = h("section", { class: "part" },
      h("div", { class: "part-head" }, h("h3", null, t("policy.title"))), this.form, this.status);
    this.refresher = new Refresher(() => this.load());
  }

  async refresh() {
    try {
      await this.refresher.ask();
    } catch (error) {
      say(this.error, error.message);
    }
  }

  /** What was chosen and is not saved stays; the newer policy is said beneath it. */
  async load() {
    const dirty = this.dirty;
    const { policy } = await policies.read(this.actorId, this.roomId);
    const other = this.policy !== null && policy.revision !== this.policy.revision;
    this.policy = policy;
    if (dirty && other) say(this.note, t("policy.changed", { now: inWords(policy) }));
    else if (!dirty) this.show();
    this.draw();
  }

  get chosen() {
    return {
      useMemories: this.use.checked,
      generation: this.radios.find((radio) => radio.checked)?.value ?? "enabled",
    };
  }

  get dirty() {
    if (!this.policy) return false;
    const { useMemories, generation } = this.chosen;
    return useMemories !== this.policy.useMemories || generation !== this.policy.generation;
  }

  show() {
    this.use.checked = this.policy.useMemories;
    for (const radio of this.radios) radio.checked = radio.value === this.policy.generation;
  }

  changed() {
    say(this.note, "");
    say(this.error, "");
    this.draw();
  }

  draw() {
    const { policy, readOnly } = this;
    const excluded = policy.generation === "excluded";
    this.use.disabled = readOnly;
    for (const radio of this.radios) radio.disabled = readOnly || excluded;
    const key = `policy.by.${policy.source}`;
    fill(this.status, policy.updatedAt ? [has(key) ? t(key) : policy.source, " ", datedElement(policy.updatedAt)]
      : t("policy.default"), excluded ? ` ${t("policy.forGood")}` : "");
    fill(this.foot, this.dirty && !readOnly ? this.saving() : null);
  }

  saving() {
    const undo = h("button", { class: "quiet", type: "button", onclick: () => {
      this.show();
      this.changed();
    } }, t("cancel"));
    if (this.chosen.generation !== "excluded" || this.policy.generation === "excluded") {
      return [actionButton(t("save"), () => this.save(),
        { kind: "button", onError: (error) => say(this.error, error.message) }), undo];
    }
    return [confirming(t("save"), {
      question: t("policy.excludedAsk"), yes: t("policy.excludedYes"),
      run: () => this.save(), onError: (error) => say(this.error, error.message),
    }), undo];
  }

  async save() {
    try {
      const { policy } = await policies.set(this.actorId,
        { ...this.chosen, expectedRevision: this.policy.revision });
      this.policy = policy;
      this.show();
      this.changed();
      say(this.note, t("policy.saved"));
    } catch (error) {
      if (error.code !== "POLICY_REVISION_STALE") throw error;
      await this.refresh();
      this.show();
      this.draw();
      say(this.note, t("policy.stale"));
    }
  }
}
