// What can be done with something that was said, and how it came about.

import { h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { copyButton } from "./copy.js";
import { t } from "../words/index.js";

/** A row of its own beside or below the text, never over it. It is seen while the entry is pointed at
 * or holds the focus; where there is no pointer or no room, one button opens it. */
export function entryLinks(event, { reply, forward }) {
  const { eventId, body: { turnId, content } } = event;
  const root = h("div", { class: "entry-links" },
    h("button", { class: "quiet more", type: "button", "aria-expanded": "false", "aria-label": t("message.more"),
      onclick: ({ currentTarget }) => {
        currentTarget.setAttribute("aria-expanded", String(root.classList.toggle("open")));
      } }, "⋯"),
    h("button", { class: "quiet reply", type: "button", onclick: () => reply(event) }, t("message.reply")),
    h("button", { class: "quiet forward", type: "button", onclick: () => forward(event) }, t("message.forward")),
    copyButton(() => content, t("message.copy")),
    h("a", { class: "quiet", href: routeHash("memory", "new", eventId) }, t("memory.remember")),
    turnId ? turnLink(turnId) : null);
  return root;
}

/** To all that is known of a turn. */
export function turnLink(turnId) {
  return h("a", { class: "quiet", href: routeHash("turn", turnId), "data-key": `${turnId}:details` }, t("details"));
}
