// The dialog that lists every key.

import { h } from "../base/dom.js";
import { has, t } from "../words/index.js";
import { dialog } from "./dialog.js";
import { KEYS, keyName, WRITING } from "./keys.js";

const GROUPS = ["go", "say", "open"];

export class HelpDialog {
  constructor() {
    /** @type {HTMLDialogElement | null} */
    this.element = null;
  }

  open() {
    this.element ??= dialog(t("keys.title"), "help", GROUPS.map((group) =>
      table(t(`keys.group.${group}`), KEYS.filter((row) => row.group === group))),
      table(t("keys.group.writing"), WRITING));
    this.element.showModal();
  }
}

function table(title, rows) {
  return h("section", null, h("h3", null, title), h("dl", { class: "keys" }, rows.map(({ action, keys }) =>
    [h("dt", null, keys.map((name) => h("kbd", null, shown(name)))), h("dd", null, t(`keys.${action}`))])));
}

function shown(name) {
  const words = keyName(name);
  return has(`key.${words}`) ? t(`key.${words}`) : words;
}
