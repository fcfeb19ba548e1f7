// One line above the timeline for what was refused or could not be loaded.

import { fill, h } from "../base/dom.js";
import { t } from "../words/index.js";

export class Toast {
  constructor() {
    this.element = h("div", { class: "banner bad", role: "alert", hidden: true });
  }

  /** `action`: what the button does besides closing the line. */
  show(message, label = t("close"), action = () => {}) {
    fill(this.element, h("span", null, message), h("button", { class: "quiet", type: "button",
      onclick: () => {
        this.element.hidden = true;
        action();
      } }, label));
    this.element.hidden = false;
  }

  hide() {
    this.element.hidden = true;
  }
}
