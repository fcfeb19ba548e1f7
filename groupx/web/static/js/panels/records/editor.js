// Writing a record: its kind and its text. What was typed survives a refusal and a closed panel.

import { isComposed } from "../../base/composing.js";
import { h, say } from "../../base/dom.js";
import { newCommandId } from "../../transport/api.js";
import { t } from "../../words/index.js";
import { number } from "../parts.js";
import { KINDS, MAX_CHARACTERS } from "./kinds.js";

/** Texts that were not saved, by what they are about; for as long as the page lives. */
const drafts = new Map();

export class RecordEditor {
  /** `save({ kind, content }, commandId)` returns a promise; `done()` closes. */
  constructor({ about, kind = "note", content = "", label, save, done }) {
    const draft = drafts.get(about) ?? { kind, content };
    this.about = about;
    this.save = save;
    this.done = done;
    this.command = newCommandId();
    this.kind = h("select", { "aria-label": t("record.kind") }, KINDS.map((name) =>
      h("option", { value: name, selected: name === draft.kind }, t(`record.kind.${name}`))));
    this.text = h("textarea", { class: "record-text", rows: 4, "aria-label": label });
    this.text.value = draft.content;
    this.count = h("span", { class: "note" });
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.submit = h("button", { class: "button", type: "submit" }, t("save"));
    this.element = h("form", { class: "record-editor" }, this.text, this.error,
      h("div", { class: "buttons" }, this.kind, this.count, h("span", { class: "spacer" }),
        this.submit, h("button", { class: "quiet", type: "button", onclick: () => this.discard() }, t("cancel"))));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("input", () => this.typed());
    this.measure();
  }

  focus() {
    this.text.focus();
  }

  typed() {
    drafts.set(this.about, { kind: this.kind.value, content: this.text.value });
    this.command = newCommandId();
    this.measure();
  }

  measure() {
    const length = [...this.text.value].length;
    this.count.textContent = length > MAX_CHARACTERS / 2
      ? t("record.count", { n: number(length), max: number(MAX_CHARACTERS) }) : "";
    this.submit.disabled = !this.text.value.trim() || length > MAX_CHARACTERS;
  }

  key(event) {
    if (isComposed(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.send();
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.done();
    }
  }

  async send() {
    if (this.submit.disabled) return;
    this.submit.disabled = true;
    try {
      await this.save({ kind: this.kind.value, content: this.text.value }, this.command);
      this.discard();
    } catch (error) {
      say(this.error, error.message);
      this.measure();
    }
  }

  discard() {
    drafts.delete(this.about);
    this.done();
  }
}
