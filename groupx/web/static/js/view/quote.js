// What a message answers, as one line that leads there.

import { h } from "../base/dom.js";
import { excerptOf } from "../composer/reply_bar.js";
import { t } from "../words/index.js";

/** The line for `event`; null when it answers nothing, or what stands right above it. */
export function quoteOf(event, state) {
  const { replyToEventId } = event;
  if (!replyToEventId) return null;
  const answered = state.events.get(replyToEventId);
  const entry = state.entryOf(event.eventId);
  const above = entry && state.entries.before(entry);
  if (above?.event && above.event === answered) return null;
  const name = answered ? nameOf(answered.actor) : t("quote.earlier");
  return h("a", { class: "quote", href: `#${replyToEventId}` },
    h("span", { class: "quote-name" }, name),
    answered ? h("span", { class: "excerpt" }, excerptOf(answered.body.content ?? "")) : null);
}

/** How the page calls somebody. */
export function nameOf(actor) {
  return actor.actorId === "user:web" ? t("actor.you") : actor.displayName;
}
