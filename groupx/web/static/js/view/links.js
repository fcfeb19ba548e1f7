// What leads on from something that was said: to keep it, and to how it came about.

import { h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { copyButton } from "./copy.js";
import { t } from "../words/index.js";

/** What can be done with a message, and where it leads. They are seen while the entry is pointed at
 * or holds the focus. */
export function entryLinks(event, { reply, forward }) {
  const { eventId, body: { turnId, content } } = event;
  return h("div", { class: "entry-links" },
    h("button", { class: "quiet reply", type: "button", onclick: () => reply(event) }, t("message.reply")),
    h("button", { class: "quiet forward", type: "button", onclick: () => forward(event) }, t("message.forward")),
    copyButton(() => content, t("message.copy")),
    h("a", { class: "quiet", href: routeHash("memory", "new", eventId) }, t("memory.remember")),
    turnId ? h("a", { class: "quiet", href: routeHash("turn", turnId) }, t("details")) : null);
}
