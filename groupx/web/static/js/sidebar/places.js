// What opens beside the room, from the sidebar.

import { h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { t } from "../words/index.js";

export function places() {
  const link = (name) => h("li", null, h("a", { href: routeHash(name) }, t(`places.${name}`)));
  return h("nav", { class: "places", "aria-label": t("places") }, h("ul", null, ["memory", "assistant", "setup"].map(link)));
}
