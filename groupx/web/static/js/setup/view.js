// The setup in its two places: as the whole page before there is a room, and over the room later.

import { fill, h } from "../base/dom.js";
import { switchLanguage, t } from "../words/index.js";
import { SetupForm } from "./form.js";

function intro(first) {
  return h("div", { class: "setup-intro" }, h("h1", null, t(first ? "setup.welcome" : "setup.title")),
    h("p", null, t(first ? "setup.welcome.hint" : "setup.hint")));
}

/** The whole page. */
export function openWizard() {
  const form = new SetupForm({ first: true });
  document.body.classList.add("setup-first");
  document.body.append(h("main", { class: "setup-page" },
    h("header", { class: "setup-top" }, h("span", { class: "brand" }, h("img", { src: "/static/icon.svg", alt: "", width: 22, height: 22 }), "GroupX"),
      h("button", { class: "quiet", type: "button", onclick: switchLanguage }, t("language"))),
    h("div", { class: "setup-column" }, intro(true), form.element)));
  return form.load();
}

/** `#/setup`, beside the other views. */
export class SetupView {
  /** @type {SetupForm | undefined} */
  form;

  title() {
    return t("setup.title");
  }

  async draw(body) {
    this.form ??= new SetupForm({ first: false });
    this.cover(true);
    fill(body, h("div", { class: "setup-column" }, intro(false), this.form.element));
    await this.form.load();
  }

  closed() {
    this.cover(false);
  }

  /** What lies below is not reached by the keyboard. */
  cover(on) {
    document.body.classList.toggle("setup-open", on);
    for (const part of document.querySelectorAll("body > .sidebar, body > .room")) part.toggleAttribute("inert", on);
  }
}
