// One record: what it says, who says it, and what can be done with it.

import { colourClass } from "../../base/actors.js";
import { fill, h, intoSight, redrawn, say } from "../../base/dom.js";
import { datedElement } from "../../base/time.js";
import { records } from "../../transport/remembered.js";
import { finished } from "../../view/rendered.js";
import { BRIEF } from "../../view/text.js";
import { t } from "../../words/index.js";
import { confirming, whose } from "../parts.js";
import { RecordEditor } from "./editor.js";
import { allowed, recordId } from "./kinds.js";

export class RecordItem {
  /** `changed()` is called after a command went through; `sought`: it was gone to, so it is not folded. */
  constructor({ family, state, readOnly, changed, sought }) {
    this.family = family;
    this.state = state;
    this.readOnly = readOnly;
    this.changed = changed;
    this.sought = sought;
    this.editor = null;
    this.body = h("div", { class: "record-body" });
    this.editing = h("div", { hidden: true });
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.element = h("li", { class: sought ? "record sought" : "record", tabindex: "-1" }, this.body, this.editing,
      this.error);
  }

  /** Whether it must stay although its record is gone: somebody writes in it. */
  get busy() {
    return this.editor !== null;
  }

  update(record) {
    this.record = record;
    const held = this.body.contains(document.activeElement);
    redrawn(this.body, record, () => fill(this.body, this.parts(record)));
    if (held && !this.body.contains(document.activeElement)) this.element.focus();
    this.element.dataset.record = recordId(record);
    this.element.dataset.status = record.status;
  }

  /** Its record is not shown any more, but it is being edited. */
  orphaned() {
    say(this.error, t("record.changed"));
  }

  parts(record) {
    const author = record.kind === "summary" ? t("record.summaryBy", { name: this.state.agentName(record.authorActorId) })
      : whose(record.authorActorId, this.state);
    return [
      h("div", { class: "record-head" },
        h("span", { class: `kind kind-${record.kind}` }, t(`record.kind.${record.kind}`)),
        h("span", { class: `name ${colourClass(record.authorActorId)}` }, author),
        record.retractedAt ? [h("span", { class: "note" }, t("record.status.retracted")), datedElement(record.retractedAt)]
          : [record.status === "superseded" ? h("span", { class: "note" }, t("record.status.superseded")) : null,
            datedElement(record.createdAt)]),
      h("div", { class: "record-content" }, finished(record.content, record.view?.html, { fold: BRIEF, open: this.sought })),
      h("div", { class: "record-foot buttons" },
        record.sourceEventId ? h("a", { class: "quiet", href: `#${record.sourceEventId}`, "data-key": "source" },
          t("record.source")) : null,
        this.readOnly ? null : this.actions(record)),
    ];
  }

  actions(record) {
    const { edit, retract } = allowed(record);
    return [
      edit ? h("button", { class: "quiet", type: "button", "data-key": "edit", onclick: () => this.edit() },
        t("record.edit")) : null,
      retract ? confirming(t("record.retract"), {
        question: t("record.retractAsk"), yes: t("record.retract"), key: "retract",
        run: async () => {
          await records.retract(this.family, recordId(record));
          await this.changed();
        },
        onError: (error) => say(this.error, error.message),
      }) : null,
    ];
  }

  /** To where it can be read. */
  reveal() {
    intoSight(this.element, this.element.closest(".panel-body"));
    this.element.focus({ preventScroll: true });
  }

  edit() {
    const { record } = this;
    this.editor = new RecordEditor({
      about: recordId(record), kind: record.kind, content: record.content, label: t("record.edit"),
      save: (written, command) => records.supersede(this.family, recordId(record), written, command),
      done: () => this.edited(),
    });
    fill(this.editing, h("p", { class: "note" }, t("record.supersedes")), this.editor.element);
    this.show(true);
    this.editor.focus();
  }

  edited() {
    this.editor = null;
    say(this.error, "");
    this.show(false);
    fill(this.editing);
    this.body.querySelector('[data-key="edit"]')?.focus();
    this.changed();
  }

  show(editing) {
    this.editing.hidden = !editing;
    this.body.hidden = editing;
  }
}
