// What leads on from something that was said: to keep it, and to how it came about.

import { h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { t } from "../words/index.js";

/** `turnId`: of an answer. They are seen while the entry is pointed at or holds the focus. */
export function entryLinks({ eventId, turnId }) {
  return h("div", { class: "entry-links" },
    h("a", { class: "quiet", href: routeHash("memory", "new", eventId) }, t("memory.remember")),
    turnId ? h("a", { class: "quiet", href: routeHash("turn", turnId) }, t("details")) : null);
}
