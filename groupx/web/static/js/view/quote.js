// What a message answers or passes on, as one line that leads there.

import { h } from "../base/dom.js";
import { excerptOf } from "../composer/reply_bar.js";
import { t } from "../words/index.js";

/** The lines for `event`; none when it answers what stands right above it. A copy of a message that
 * is sent again has a row that says so. */
export function quoteOf(event, state) {
  const { replyToEventId, forwardedEventId, body } = event;
  const answers = replyToEventId && !standsAbove(replyToEventId, event, state);
  return [
    answers ? line(replyToEventId, state, (name) => name) : null,
    forwardedEventId && !body.kind
      ? line(forwardedEventId, state, (name) => t("quote.forwarded", { name })) : null,
  ];
}

function standsAbove(answeredId, event, state) {
  const entry = state.entryOf(event.eventId);
  const above = entry && state.entries.before(entry);
  return above?.event?.eventId === answeredId;
}

function line(eventId, state, words) {
  const original = state.events.get(eventId);
  const name = original ? nameOf(original.actor) : t("quote.earlier");
  return h("a", { class: "quote", href: `#${eventId}` },
    h("span", { class: "quote-name" }, words(name)),
    original ? h("span", { class: "excerpt" }, excerptOf(original.body.content ?? "")) : null);
}

/** How the page calls somebody. */
export function nameOf(actor) {
  return actor.actorId === "user:web" ? t("actor.you") : actor.displayName;
}
