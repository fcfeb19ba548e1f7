// Writing to the assistant. What was typed survives a refusal, a closed panel and a reload.

import { isComposed } from "../../base/composing.js";
import { h, say } from "../../base/dom.js";
import { t } from "../../words/index.js";

const KEPT = "groupx.assistant.draft";

export class SideComposer {
  /** `send(text)` and `stop()` return promises. */
  constructor({ send, stop }) {
    this.text = h("textarea", { class: "side-draft", rows: 2, placeholder: t("assistant.placeholder"),
      "aria-label": t("assistant.placeholder") });
    this.text.value = sessionStorage.getItem(KEPT) ?? "";
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.stop = h("button", { class: "stop", type: "button", hidden: true }, t("turn.stop"));
    this.submit = h("button", { class: "button", type: "submit" }, t("assistant.send"));
    this.element = h("form", { class: "side-composer" }, this.error, this.text,
      h("div", { class: "buttons" }, h("span", { class: "note spacer" }, t("assistant.beside")), this.stop, this.submit));
    this.text.addEventListener("input", () => this.keep());
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || isComposed(event)) return;
      event.preventDefault();
      this.element.requestSubmit();
    });
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(send);
    });
    this.stop.addEventListener("click", () => this.run(this.stop, stop));
  }

  keep() {
    if (this.text.value) sessionStorage.setItem(KEPT, this.text.value);
    else sessionStorage.removeItem(KEPT);
  }

  /** Something to change or to send as it is; what was typed stays. */
  suggest(text) {
    this.text.value ||= text;
    this.keep();
    this.text.focus();
  }

  async send(send) {
    const content = this.text.value;
    if (!content.trim()) return;
    this.text.value = "";
    this.keep();
    await this.run(this.submit, () => send(content));
    if (!this.error.hidden && !this.text.value) {
      this.text.value = content;
      this.keep();
    }
  }

  async run(button, command) {
    say(this.error, "");
    button.disabled = true;
    try {
      await command();
    } catch (error) {
      say(this.error, error.message);
    }
    button.disabled = false;
  }

  /** `busy`: there is something to stop. */
  update({ busy, off }) {
    this.stop.hidden = !busy;
    this.element.hidden = off;
  }
}
