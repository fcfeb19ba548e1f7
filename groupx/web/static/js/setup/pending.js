// Above the room while saved settings wait for a start: which ones, and for which.

import { fill, h, redrawn } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { t } from "../words/index.js";

/** What waits, in words: lines. @param {{ restartRequired?: boolean, pendingRestart?: string[], pendingPort?: number }} waiting */
export function waitingLines({ restartRequired = false, pendingRestart = [], pendingPort }) {
  const names = pendingRestart.map((actorId) => actorId.replace("agent:", "@")).join(", ");
  const settings = names ? t("setup.pending.agents", { names }) : t("setup.pending.line");
  return [restartRequired ? settings : "", pendingPort ? t("setup.pending.port", { port: pendingPort }) : ""]
    .filter(Boolean);
}

export class PendingLine {
  constructor() {
    this.element = h("div", { class: "banner", role: "status", hidden: true });
  }

  /** @param {any} bootstrap */
  show(bootstrap) {
    const lines = waitingLines(bootstrap);
    this.element.hidden = !lines.length;
    redrawn(this.element, lines, () => fill(this.element, h("span", null, lines.join(" ")),
      h("a", { class: "quiet", href: routeHash("setup") }, t("setup.title"))));
  }
}
