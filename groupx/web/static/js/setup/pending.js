// One line above the room while saved settings wait for a restart.

import { fill, h, redrawn } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { t } from "../words/index.js";

export class PendingLine {
  constructor() {
    this.element = h("div", { class: "banner", role: "status", hidden: true });
  }

  /** @param {{ restartRequired?: boolean, pendingRestart?: string[] }} bootstrap */
  show({ restartRequired = false, pendingRestart = [] }) {
    this.element.hidden = !restartRequired;
    const names = pendingRestart.map((actorId) => actorId.replace("agent:", "@")).join(", ");
    redrawn(this.element, [restartRequired, names], () => fill(this.element,
      h("span", null, names ? t("setup.pending.agents", { names }) : t("setup.pending.line")),
      h("a", { class: "quiet", href: routeHash("setup") }, t("setup.title"))));
  }
}
