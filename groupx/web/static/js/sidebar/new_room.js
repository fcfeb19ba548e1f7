// A new room: what it will be called, what that means, and why it may have to wait.

import { newCommandId, post } from "../transport/api.js";
import { isComposed } from "../base/composing.js";
import { h, say } from "../base/dom.js";
import { t } from "../words/index.js";
import { closeRoster } from "./drawer.js";

const MAX_TITLE = 200;

export class NewRoom {
  constructor() {
    this.button = h("button", { class: "quiet", type: "button", "aria-expanded": "false",
      onclick: () => this.open(this.form.hidden) }, t("rooms.new"));
    this.title = h("input", { type: "text", maxlength: MAX_TITLE, "aria-label": t("rooms.new.title"),
      placeholder: t("rooms.new.title"), autocomplete: "off" });
    this.error = h("p", { class: "roster-error", role: "alert", hidden: true });
    this.submit = h("button", { class: "button", type: "submit" }, t("rooms.new.open"));
    this.form = h("form", { class: "new-room", hidden: true, onsubmit: (event) => this.send(event),
      onkeydown: (event) => this.key(event) },
      this.title, h("p", { class: "note" }, t("rooms.new.hint")), this.error,
      h("div", { class: "buttons" }, this.submit,
        h("button", { class: "quiet", type: "button", onclick: () => this.open(false) }, t("cancel"))));
    this.attempt = null;
  }

  open(wanted) {
    this.form.hidden = !wanted;
    this.button.setAttribute("aria-expanded", String(wanted));
    say(this.error, "");
    (wanted ? this.title : this.button).focus();
  }

  key(event) {
    if (event.key !== "Escape" || isComposed(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.open(false);
  }

  /** The same title after an answer that never came is the same command. */
  async send(event) {
    event.preventDefault();
    if (this.submit.ariaDisabled) return;
    const title = this.title.value.trim();
    if (this.attempt?.title !== title) this.attempt = { title, id: newCommandId() };
    this.submit.ariaDisabled = "true";
    try {
      await post("/api/rooms", title ? { title } : {}, this.attempt.id);
      this.attempt = null;
      this.title.value = "";
      this.open(false);
      closeRoster();
      location.hash = "";
    } catch (error) {
      if (!error.uncertain) this.attempt = null;
      say(this.error, error.code === "STORE_CONFLICT" ? t("rooms.new.busy") : error.message);
    } finally {
      this.submit.ariaDisabled = null;
    }
  }
}
