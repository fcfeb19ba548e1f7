// The page's keys: those of the table, unless a dialog is open or an input method composes.

import { isComposed } from "../base/composing.js";
import { actionOf } from "./keys.js";

const WRITES = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])";

const ENTRY = "#timeline > .item";

export class Keyboard {
  /** @param {Record<string, (n?: number) => void>} actions by the names of the table */
  constructor(actions) {
    this.actions = actions;
  }

  listen() {
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (isComposed(event) || event.defaultPrevented) return;
    const { target } = event;
    const at = (selector) => target instanceof Element && target.matches(selector);
    const found = actionOf(event, at(WRITES), at(ENTRY));
    if (!found || !this.actions[found.action] || document.querySelector("dialog[open]")) return;
    if (found.action !== "close") event.preventDefault();
    this.actions[found.action](found.n);
  }
}
