// An agent's bubble: from the first sign of life of its turn to the finished answer.

import { fill, h, redrawn, say } from "../base/dom.js";
import { t } from "../words/index.js";
import { commands } from "../transport/api.js";
import { elapsedElement } from "../base/time.js";
import { actionButton } from "./actions.js";
import { ReasoningView, ToolsView } from "./activity.js";
import { entryLinks, turnLink } from "./links.js";
import { PartialView } from "./partial.js";
import { quoteOf } from "./quote.js";
import { finished } from "./rendered.js";
import { GrowingText } from "./text.js";
import { canContinue, cutText, drawTargets, retry, retryOrContinue, stateText, whyText } from "./turn_state.js";

const FORCE_AFTER_MS = 5000;

export class TurnView {
  constructor(context) {
    this.context = context;
    this.reasoning = new ReasoningView();
    this.tools = new ToolsView();
    this.live = new GrowingText();
    this.answer = h("div", { class: "answer" }, this.live.element);
    this.partial = new PartialView();
    this.note = h("p", { class: "note", hidden: true });
    this.targets = h("div", { class: "target-box" });
    this.status = h("div", { class: "turn-status" });
    this.quote = h("div", null);
    this.element = h("div", { class: "bubble turn" }, this.quote, this.reasoning.element, this.tools.element,
      this.answer, this.partial.element, this.note, this.targets, this.status);
    this.shown = null;
  }

  update(entry) {
    this.entry = entry;
    const { turn, event } = entry;
    this.reasoning.update(turn);
    this.tools.update(turn);
    const busy = String(!turn.ended && !event);
    if (this.element.ariaBusy !== busy) this.element.ariaBusy = busy;
    if (event) this.finish(event);
    else this.live.set(turn.text);
    this.partial.update(turn);
    this.showNote(turn, event);
    if (event) drawTargets(this.targets, this.context.state.turns.of(event.eventId), this.context);
    this.showStatus(turn, event);
  }

  /** What is missing of the text, and why. */
  showNote(turn, event) {
    const missing = event
      ? [cutText(event.body.stopReason), event.body.truncated === true ? t("message.truncated") : ""]
      : [turn.gap ? t("turn.gap") : ""];
    say(this.note, missing.filter(Boolean).join(" "));
    this.note.classList.toggle("cut-short", Boolean(event?.body.stopReason));
  }

  finish(event) {
    if (this.shown === event.eventId) return;
    this.shown = event.eventId;
    const html = this.context.state.html.get(event.eventId);
    fill(this.answer, finished(event.body.content || t("message.empty"), html));
    fill(this.quote, quoteOf(event, this.context.state));
    this.element.append(entryLinks(event, this.context));
  }

  /** What stands under the text: the clock and Stop while it runs, the reason when it failed. */
  showStatus(turn, event) {
    const force = this.forceIsDue(turn);
    const shows = [turn.status, turn.startedAt, event?.eventId, force, turn.message];
    redrawn(this.status, shows, () => {
      if (event || turn.status === "completed") fill(this.status);
      else if (turn.ended) fill(this.status, this.ending(turn));
      else fill(this.status, this.running(turn, force));
    });
    this.status.hidden = !this.status.childNodes.length;
  }

  running(turn, force) {
    const { onError } = this.context;
    const cancelling = turn.status === "cancelling";
    const stop = force
      ? actionButton(t("turn.force"), () => commands.stop(turn.turnId, true),
          { kind: "danger", title: t("turn.forceHint"), onError, key: "stop" })
      : actionButton(cancelling ? t("turn.stopping") : t("turn.stop"), () => this.stop(turn),
          { kind: "stop", title: t("turn.stopHint"), onError, key: "stop" });
    if (cancelling && !force) stop.disabled = true;
    return [
      h("span", { class: "pulse", "aria-hidden": "true" }),
      h("span", null, stateText(turn, this.context.state)),
      turn.startedAt ? elapsedElement(turn.startedAt) : null,
      stop,
    ];
  }

  async stop(turn) {
    this.context.state.stopped(await commands.stop(turn.turnId));
  }

  noteStop() {
    if (this.stopAt) return;
    this.stopAt = Date.now();
    setTimeout(() => this.update(this.entry), FORCE_AFTER_MS + 50);
  }

  forceIsDue(turn) {
    if (turn.ended || turn.status !== "cancelling") return false;
    this.noteStop();
    return Date.now() - this.stopAt >= FORCE_AFTER_MS;
  }

  ending(turn) {
    const { onError, writeTo, state } = this.context;
    const button = (name, run, hint) =>
      actionButton(t(`turn.${name}`), run, { title: hint ? t(hint) : null, onError, key: name });
    const why = whyText(turn);
    const bad = turn.status !== "cancelled";
    return h("div", { class: `ending ${bad ? "bad" : "dim"}` },
      h("strong", { title: turn.errorCode }, stateText(turn, state)),
      why ? h("span", { class: "why-full" }, why) : null,
      turn.deliveryUnknown ? h("span", { class: "why-full" }, t("state.unknownHint")) : null,
      h("span", { class: "buttons" }, retryOrContinue(turn, button),
        canContinue(turn) ? retry(turn, button) : null, turnLink(turn.turnId),
        h("button", { class: "quiet reply", type: "button", onclick: () => writeTo(turn.target) },
          t("turn.writeTo", { name: state.agentName(turn.target) }))));
  }
}
