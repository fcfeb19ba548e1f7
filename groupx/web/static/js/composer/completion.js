// Picking recipients: a list that opens on @ and takes what was typed behind it.

import { avatar } from "../base/actors.js";
import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";

export const EVERYONE = "@all";
const AT_WORD = /(^|\s)@([^\s@]*)$/u;

export class Completion {
  constructor(composer) {
    this.composer = composer;
    this.element = h("ul", { class: "completion", role: "listbox", id: "completion", hidden: true,
      "aria-label": t("composer.suggestions") });
    this.matches = [];
    this.active = 0;
    this.word = null;
    composer.text.setAttribute("aria-controls", "completion");
    composer.text.setAttribute("aria-autocomplete", "list");
  }

  get open() {
    return !this.element.hidden;
  }

  /** After a key or a click: is the caret behind an `@word`? */
  update() {
    const { text } = this.composer;
    const before = text.value.slice(0, text.selectionStart);
    const match = text.selectionStart === text.selectionEnd ? AT_WORD.exec(before) : null;
    if (!match || this.composer.editing) {
      this.close();
      return;
    }
    this.word = { start: before.length - match[2].length - 1, end: before.length };
    this.show(this.search(match[2]));
  }

  openAll() {
    this.word = null;
    this.show(this.composer.choices());
    this.composer.text.focus();
  }

  search(fragment) {
    const wanted = fragment.toLocaleLowerCase();
    const starts = (choice) => choice.name.toLocaleLowerCase().startsWith(wanted) ||
      choice.label.toLocaleLowerCase().startsWith(wanted);
    const found = this.composer.choices().filter(starts);
    const everyone = found.filter((choice) => choice.actorId === EVERYONE);
    const agents = found.filter((choice) => choice.actorId !== EVERYONE);
    return wanted ? [...agents, ...everyone] : [...everyone, ...agents];
  }

  show(matches) {
    this.matches = matches;
    this.active = 0;
    if (!matches.length) this.close();
    else this.draw();
  }

  draw() {
    fill(this.element, this.matches.map((choice, index) => h("li", {
      role: "option", id: `completion-${index}`, "aria-selected": String(index === this.active),
      class: index === this.active ? "active" : null,
      onmousedown: (event) => event.preventDefault(),
      onclick: () => this.pick(index),
    }, avatar(choice.actorId, choice.label), h("span", { class: "choice" }, choice.label),
    h("span", { class: "choice-hint" }, choice.hint))));
    this.element.hidden = false;
    this.composer.text.setAttribute("aria-activedescendant", `completion-${this.active}`);
    this.element.children[this.active]?.scrollIntoView({ block: "nearest" });
  }

  /** Whether the key was for the list. */
  key(event) {
    if (!this.open) return false;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      const count = this.matches.length;
      this.active = (this.active + moves[event.key] + count) % count;
      this.draw();
    } else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) {
      this.pick(this.active);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }

  pick(index) {
    const { text } = this.composer;
    const choice = this.matches[index];
    if (this.word) {
      text.setRangeText("", this.word.start, this.word.end, "end");
      this.composer.typed();
    }
    this.close();
    this.composer.addTarget(choice.actorId);
    text.focus();
  }

  close() {
    this.element.hidden = true;
    this.word = null;
    this.composer.text.removeAttribute("aria-activedescendant");
  }

  closeSoon() {
    setTimeout(() => {
      if (document.activeElement !== this.composer.text) this.close();
    }, 150);
  }
}
