// What the next message answers: said above the text until it is sent or let go.

import { fill, h } from "../base/dom.js";
import { t } from "../words/index.js";

const EXCERPT = 140;

/** The start of a message in one line. */
export function excerptOf(content) {
  const line = content.trim().split("\n", 1)[0];
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}

export class ReplyBar {
  /** `onLeave()` is called when the user lets go of it. */
  constructor(draft, onLeave) {
    this.draft = draft;
    this.onLeave = onLeave;
    this.element = h("div", { class: "reply-bar", hidden: true });
    this.answered = draft.reply();
    this.draw();
  }

  /** The id of what is answered, or null. */
  get eventId() {
    return this.answered?.eventId ?? null;
  }

  answer(event, name) {
    this.keep({ eventId: event.eventId, name, excerpt: excerptOf(event.body.content ?? "") });
  }

  /** `{ eventId, name, excerpt }` or null. */
  keep(answered) {
    this.answered = answered;
    this.draft.keepReply(answered);
    this.draw();
  }

  draw() {
    this.element.hidden = !this.answered;
    if (!this.answered) return;
    const { eventId, name, excerpt } = this.answered;
    fill(this.element, h("a", { class: "quote", href: `#${eventId}` },
      h("span", { class: "quote-name" }, t("composer.replying", { name })),
      h("span", { class: "excerpt" }, excerpt)),
    h("button", { class: "quiet", type: "button", "aria-label": t("composer.notReplying"), onclick: () => {
      this.keep(null);
      this.onLeave();
    } }, "×"));
  }
}
