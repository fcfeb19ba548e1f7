// What somebody said: the text, who gets it and how far each of them is.

import { fill, h, redrawn } from "../base/dom.js";
import { t } from "../words/index.js";
import { commands } from "../transport/api.js";
import { actionButton } from "./actions.js";
import { entryLinks } from "./links.js";
import { quoteOf } from "./quote.js";
import { finished } from "./rendered.js";
import { foldedText } from "./text.js";
import { drawTargets } from "./turn_state.js";

const EXCERPT = 120;
const FOLDED = new Set(["retry", "continue", "supervision.watch"]);

export class MessageView {
  constructor(context) {
    this.context = context;
    this.body = h("div", { class: "said" });
    this.targets = h("div", { class: "target-box" });
    this.tools = h("div", { class: "message-actions" });
    this.links = h("div", { class: "link-box" });
    this.quote = h("div", null);
    this.element = h("div", { class: "bubble message" }, this.quote, this.body,
      h("div", { class: "message-foot" }, this.targets, this.tools, this.links));
    this.drawn = false;
  }

  update({ event }) {
    const { state } = this.context;
    if (!this.drawn) {
      fill(this.body, said(event, state.html.get(event.eventId)));
      fill(this.links, entryLinks(event, this.context));
      fill(this.quote, quoteOf(event, state));
    }
    this.drawn = true;
    const withdrawn = state.withdrawn.has(event.eventId);
    this.element.classList.toggle("withdrawn", withdrawn);
    const turns = state.turns.of(event.eventId);
    const recallable = !withdrawn && canBeTakenBack(event, turns);
    if (withdrawn) {
      redrawn(this.targets, "withdrawn", () =>
        fill(this.targets, h("p", { class: "note" }, whatBecame(state.withdrawn.get(event.eventId)))));
    } else {
      drawTargets(this.targets, turns, this.context, recallable && turns.length === 1);
    }
    redrawn(this.tools, recallable, () => fill(this.tools, recallable ? this.actions(event) : null));
  }

  actions(event) {
    const { onError, edit } = this.context;
    return [
      h("button", { class: "quiet", type: "button", "data-key": "edit", onclick: () => edit(event) },
        t("message.edit")),
      actionButton(t("message.withdraw"), () => commands.withdraw(event.eventId),
        { onError, key: "withdraw" }),
    ];
  }
}

/** Of a message that was taken back. @param {string | null} replacedBy */
function whatBecame(replacedBy) {
  if (!replacedBy) return t("message.withdrawn");
  return [t("message.replaced"), " ", h("a", { href: `#${replacedBy}` }, t("turn.jump"))];
}

/** Only what nobody has begun can be unsaid or said differently. */
function canBeTakenBack(event, turns) {
  const mine = event.actor.kind === "user" && !event.body.kind;
  return mine && turns.length > 0 && turns.every((turn) => turn.status === "queued");
}

/** A copy of an earlier message, and what observers are told, is one folded row. */
function said(event, html) {
  const { kind, content } = event.body;
  const text = finished(content || t("message.empty"), html);
  if (!FOLDED.has(kind)) return text;
  const start = content.slice(0, EXCERPT).split("\n", 1)[0];
  return h("details", { class: "fold" },
    h("summary", null, t(`${kind}.of`), h("span", { class: "excerpt" }, start)), text);
}

export class PendingView {
  constructor() {
    this.body = h("div", { class: "said" });
    this.element = h("div", { class: "bubble message pending", "aria-busy": "true" }, this.body,
      h("p", { class: "note" }, t("composer.sending")));
  }

  update({ content }) {
    fill(this.body, foldedText(content));
  }
}
