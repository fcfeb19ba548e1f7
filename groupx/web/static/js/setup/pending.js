// One line above the room while saved settings wait for a restart.

import { fill, h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { t } from "../words/index.js";

export class PendingLine {
  constructor() {
    this.element = h("div", { class: "banner", role: "status", hidden: true });
  }

  /** @param {{ restartRequired?: boolean }} bootstrap */
  show({ restartRequired = false }) {
    if (this.element.hidden !== restartRequired) return;
    this.element.hidden = !restartRequired;
    if (restartRequired) {
      fill(this.element, h("span", null, t("setup.pending.line")),
        h("a", { class: "quiet", href: routeHash("setup") }, t("setup.title")));
    }
  }
}
