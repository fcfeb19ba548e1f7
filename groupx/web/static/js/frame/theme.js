// Light, dark, or as the system has it; kept in this browser.

import { h } from "../base/dom.js";
import { t } from "../words/index.js";

const KEY = "groupx.theme";
const THEMES = ["auto", "light", "dark"];

function chosen() {
  const kept = localStorage.getItem(KEY);
  return THEMES.includes(kept) ? kept : "auto";
}

export function keepTheme() {
  document.documentElement.dataset.theme = chosen();
}

export class ThemeChoice {
  constructor() {
    this.element = h("button", { class: "quiet", type: "button", onclick: () => this.next() });
    this.draw();
  }

  next() {
    localStorage.setItem(KEY, THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length]);
    keepTheme();
    this.draw();
  }

  draw() {
    this.element.textContent = t("theme", { name: t(`theme.${chosen()}`) });
  }
}
