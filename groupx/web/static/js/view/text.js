// Text of people and agents, as text nodes in blocks: a long one stays quick to lay out, and
// what is folded is not in the page at all.

import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";

/** A block is laid out anew with each piece that is added to it; a line without an end is cut at the latest here. */
const BLOCK = 1500;
const LONGEST_LINE = 16_000;

/** When a text is folded, and how much of it is shown then. */
const LONG = { lines: 40, characters: 6000, shownLines: 24, shownCharacters: 3000 };
/** For a narrow place among others. */
export const BRIEF = { lines: 14, characters: 800, shownLines: 9, shownCharacters: 500 };

/** Text that grows at its end. */
export class GrowingText {
  constructor() {
    this.element = h("div", { class: "text" });
    this.forget();
  }

  forget() {
    this.length = 0;
    /** @type {Text | null} */
    this.last = null;
    this.endsLine = false;
  }

  /** Show `text`; what is already shown of it stays as it is. */
  set(text) {
    if (text.length < this.length) {
      this.element.replaceChildren();
      this.forget();
    }
    this.add(text.slice(this.length));
  }

  add(text) {
    this.length += text.length;
    while (text) {
      if (!this.last || this.isFull) this.open();
      const cut = this.cut(text, BLOCK - this.last.length);
      const piece = text.slice(0, cut);
      this.last.appendData(piece);
      this.endsLine = piece.endsWith("\n");
      text = text.slice(cut);
    }
  }

  get isFull() {
    return this.last.length >= (this.endsLine ? BLOCK : LONGEST_LINE);
  }

  /** Blocks end where a line does, so that they look like one text. */
  cut(text, room) {
    if (text.length <= room) return text.length;
    const line = text.indexOf("\n", room);
    return line === -1 ? text.length : line + 1;
  }

  open() {
    this.last = document.createTextNode("");
    this.element.append(h("div", { class: "block" }, this.last));
  }
}

export function textElement(text) {
  const growing = new GrowingText();
  growing.set(text);
  return growing.element;
}

export function isLong(text, { lines, characters } = LONG) {
  return text.length > characters || text.split("\n", lines + 1).length > lines;
}

/** What is shown of a long text while it is folded. */
export function startOf(text, { shownLines, shownCharacters } = LONG) {
  return text.split("\n", shownLines).join("\n").slice(0, shownCharacters);
}

/** A finished text: folded when it is long, at first unless `open`. */
export function foldedText(text, fold = LONG, open = false) {
  if (!isLong(text, fold)) return textElement(text);
  const lines = text.split("\n");
  const start = startOf(text, fold);
  return foldable(lines.length, (whole) => textElement(whole ? text : start), open);
}

/** `draw(whole)`: its start, or all of it; at first all if `open`. Who folds it again stands at its start then. */
export function foldable(lines, draw, open = false) {
  const root = h("div", { class: "foldable" });
  const button = h("button", { class: "link", type: "button" });
  const show = (whole) => {
    const body = draw(whole);
    body.classList.toggle("cut", !whole);
    button.textContent = whole ? t("show.less") : t("show.all", { n: lines });
    button.setAttribute("aria-expanded", String(whole));
    if (button.isConnected) button.previousElementSibling.replaceWith(body);
    else fill(root, body, button);
  };
  button.addEventListener("click", () => {
    const folds = button.getAttribute("aria-expanded") === "true";
    show(!folds);
    if (folds) root.scrollIntoView({ block: "nearest" });
  });
  show(open);
  return root;
}
