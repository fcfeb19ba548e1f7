// One line above the timeline for what was refused or could not be loaded.

import { fill, h } from "../base/dom.js";
import { t } from "../words/index.js";

export class Toast {
  constructor() {
    this.element = h("div", { class: "banner bad", role: "alert", hidden: true });
    /** @type {string | null} the address that is spoken of; the line goes with it */
    this.address = null;
    addEventListener("hashchange", () => {
      if (this.address !== null && this.address !== location.hash) this.hide();
    });
  }

  /** `action`: what the button does besides closing the line. */
  show(message, label = t("close"), action = () => {}) {
    fill(this.element, h("span", null, message), h("button", { class: "quiet", type: "button",
      onclick: () => {
        this.element.hidden = true;
        action();
      } }, label));
    this.element.hidden = false;
    this.address = null;
  }

  /** What the address names is not there. */
  showHere(message, label, action) {
    this.show(message, label, action);
    this.address = location.hash;
  }

  hide() {
    this.element.hidden = true;
  }
}
