// How full the room's context is, and the two things to do about it.

import { fill, h, say } from "../../base/dom.js";
import { ASIDE_EVENT, CompactionWatch } from "./compaction.js";
import { context } from "../../transport/remembered.js";
import { actionButton } from "../../view/actions.js";
import { t } from "../../words/index.js";
import { bar } from "../bar.js";
import { confirming, number } from "../parts.js";
import { Refresher } from "../refresher.js";

export class ContextLine {
  constructor() {
    this.compaction = new CompactionWatch();
    this.words = h("p", { class: "note" }, t("panel.loading"));
    this.gauge = h("div", { class: "gauge" }, bar([]));
    this.progress = h("p", { class: "note", role: "status", hidden: true });
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.native = h("input", { type: "checkbox" });
    this.compact = actionButton(t("context.compact"), () => this.begin(), {
      kind: "button", onError: (error) => say(this.error, error.message) });
    this.compact.disabled = true;
    this.cancel = actionButton(t("context.cancel"), () => this.end(), {
      kind: "button", title: t("context.cancelHint"), onError: (error) => say(this.error, error.message) });
    this.cancel.hidden = true;
    this.reset = confirming(t("context.reset"), {
      look: "button", question: t("context.resetAsk"), yes: t("context.reset"),
      inside: h("label", { class: "check" }, this.native, t("context.resetNative")),
      run: () => this.startAnew(),
      onError: (error) => say(this.error, error.message),
    });
    this.element = h("section", { class: "part room-context" },
      h("div", { class: "part-head" }, h("h3", null, t("context.title"))),
      this.gauge, this.words, this.progress, this.error,
      h("div", { class: "buttons" }, this.compact, this.cancel, this.reset));
    this.refresher = new Refresher(() => this.load());
  }

  async refresh() {
    try {
      await this.refresher.ask();
    } catch (error) {
      say(this.error, error.message);
      say(this.words, "");
    }
  }

  async load() {
    const now = await context.read();
    const max = now.maxCharacters || 1;
    fill(this.gauge, bar([{ share: now.estimatedCharacters / max, tone: "busy" }],
      now.compactionTriggerCharacters / max));
    fill(this.words, [
      t("context.used", { n: number(now.estimatedCharacters), max: number(max), percent: now.utilizationPercent }),
      t("context.uncompacted", { n: number(now.uncompactedMessageCount) }),
      now.summaryThroughSeq ? t("context.summary", { n: number(now.summaryThroughSeq) }) : t("context.noSummary"),
      t("context.trigger", { n: number(now.compactionTriggerCharacters) }),
      now.resetThroughSeq ? t("context.resetAt", { n: number(now.resetThroughSeq) }) : "",
    ].filter(Boolean).join(" "));
    this.show(this.compaction.read(now.compaction));
    this.compact.disabled = !now.compactable || this.compaction.running;
    this.compact.title = now.compactable ? t("context.compactHint") : t("context.nothing");
    this.compactable = now.compactable;
  }

  async begin() {
    say(this.error, "");
    this.show(this.compaction.answer(await context.compact()));
  }

  async end() {
    say(this.error, "");
    await context.cancel();
    await this.refresh();
  }

  async startAnew() {
    say(this.error, "");
    const { changed } = await context.reset(this.native.checked);
    say(this.progress, t(changed ? "context.resetDone" : "context.resetNothing"));
    await this.refresh();
  }

  eventArrived(event) {
    if (event.type.startsWith("context.compaction.")) this.show(this.compaction.event(event));
    if (ASIDE_EVENT.test(event.type)) this.refresh();
  }

  /** @param {ReturnType<CompactionWatch["answer"]>} now null: it stands as it is shown */
  show(now) {
    if (!now) return;
    const { running, word, values, message } = now;
    say(this.progress, [t(word, values), message].filter(Boolean).join(" "));
    this.cancel.hidden = !running;
    this.compact.disabled = running || !this.compactable;
  }
}
