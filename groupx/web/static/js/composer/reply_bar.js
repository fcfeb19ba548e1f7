// What the next message answers or passes on: said above the text until it is sent or let go.

import { fill, h } from "../base/dom.js";
import { t } from "../words/index.js";

const EXCERPT = 140;

/** The start of a message in one line. */
export function excerptOf(content) {
  const line = content.trim().split("\n", 1)[0];
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}

/** By what it is to the next message: the command's field, and the words. */
const WAYS = {
  reply: { field: "replyToEventId", words: "composer.replying", leave: "composer.notReplying" },
  forward: { field: "forwardedEventId", words: "composer.forwarding", leave: "composer.notForwarding" },
};

export class ReplyBar {
  /** `onLeave()` is called when the user lets go of it. */
  constructor(draft, onLeave) {
    this.draft = draft;
    this.onLeave = onLeave;
    this.element = h("div", { class: "reply-bar", hidden: true });
    this.answered = draft.reply();
    this.draw();
  }

  /** What goes with the message. */
  get fields() {
    return this.answered ? { [this.way.field]: this.answered.eventId } : {};
  }

  get way() {
    return WAYS[this.answered.as] ?? WAYS.reply;
  }

  /** `as`: "reply" or "forward". */
  take(event, name, as) {
    this.keep({ eventId: event.eventId, name, excerpt: excerptOf(event.body.content ?? ""), as });
  }

  /** `{ eventId, name, excerpt, as }` or null. */
  keep(answered) {
    this.answered = answered;
    this.draft.keepReply(answered);
    this.draw();
  }

  draw() {
    this.element.hidden = !this.answered;
    if (!this.answered) return;
    const { eventId, name, excerpt } = this.answered;
    const { words, leave } = this.way;
    fill(this.element, h("a", { class: "quote", href: `#${eventId}` },
      h("span", { class: "quote-name" }, t(words, { name })),
      h("span", { class: "excerpt" }, excerpt)),
    h("button", { class: "quiet", type: "button", "aria-label": t(leave), onclick: () => {
      this.keep(null);
      this.onLeave();
    } }, "×"));
  }
}
