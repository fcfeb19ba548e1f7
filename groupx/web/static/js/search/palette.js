// The search over the page: type, go through what was found by keyboard, jump to it.

import { isComposed } from "../base/composing.js";
import { fill, h } from "../base/dom.js";
import { search } from "../transport/search.js";
import { t } from "../words/index.js";
import { Finder } from "./finder.js";
import { resultRow } from "./result.js";

const FILTERS = ["from:", "to:", "before:", "after:", "has:code", "has:history"];

export class Palette {
  /** @param {import("../store/state.js").RoomState} state */
  constructor(state) {
    this.state = state;
    this.selected = 0;
    this.finder = new Finder(search, (found) => this.show(found));
  }

  open() {
    if (!this.element) this.build();
    if (this.element.open) return;
    this.element.showModal();
    this.input.select();
  }

  build() {
    this.input = h("input", { type: "text", enterkeyhint: "search", class: "search-input", autocomplete: "off", spellcheck: "false",
      role: "combobox", "aria-expanded": "true", "aria-controls": "search-results", "aria-label": t("search.title"),
      placeholder: t("search.placeholder"), oninput: (event) => this.typed(event),
      oncompositionend: () => this.finder.typed(this.input.value) });
    this.filters = h("div", { class: "search-filters" }, FILTERS.map((filter) => h("button", { class: "quiet",
      type: "button", title: t(`search.filter.${filter}`), onclick: () => this.addFilter(filter) }, filter)));
    this.list = h("div", { class: "search-results", id: "search-results", role: "listbox", "aria-label": t("search.results") });
    this.note = h("p", { class: "note", role: "status" });
    this.more = h("button", { class: "link", type: "button", hidden: true, onclick: () => this.finder.more() }, t("more"));
    this.element = h("dialog", { class: "search", "aria-label": t("search.title"), onkeydown: (event) => this.key(event) },
      h("div", { class: "search-head" }, this.input,
        h("button", { class: "quiet", type: "button", onclick: () => this.element.close() }, t("close"))),
      this.filters, h("div", { class: "search-body" }, this.list, this.note, this.more));
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.element.close();
    });
    document.body.append(this.element);
    this.show(this.finder.found);
  }

  /** What an input method composes is not yet said. */
  typed(event) {
    if (!event.isComposing) this.finder.typed(this.input.value);
  }

  addFilter(filter) {
    const text = this.input.value;
    this.input.value = `${text}${text && !text.endsWith(" ") ? " " : ""}${filter}${filter.endsWith(":") ? "" : " "}`;
    this.input.focus();
    this.finder.typed(this.input.value);
  }

  key(event) {
    if (isComposed(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      this.select(this.selected + step);
    } else if (event.key === "Enter" && event.target === this.input) {
      event.preventDefault();
      this.selectedLink?.click();
    }
  }

  get selectedLink() {
    const link = this.list.children[this.selected];
    return link instanceof HTMLElement ? link : null;
  }

  select(index) {
    const rows = [...this.list.children];
    this.selected = Math.max(0, Math.min(rows.length - 1, index));
    rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === this.selected)));
    const row = rows[this.selected];
    if (row) this.input.setAttribute("aria-activedescendant", row.id);
    else this.input.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  show(found) {
    const goesOn = found.state === "found" && found.results.length > this.list.children.length && this.list.children.length > 0
      && found.query === this.shownQuery;
    if (found.state !== "asking") {
      this.shownQuery = found.query;
      fill(this.list, found.results.map((result, index) => resultRow(result, index, this.state, () => this.element.close())));
      this.select(goesOn ? this.selected : 0);
    }
    this.list.setAttribute("aria-busy", String(found.state === "asking"));
    this.more.hidden = found.state !== "found" || !found.nextCursor;
    fill(this.note, this.words(found));
    this.note.hidden = !this.note.childNodes.length;
  }

  /** In plain words: how to begin, that nothing was found, why it failed, what is not indexed yet. */
  words({ state, results, nextCursor, indexing, error }) {
    if (state === "empty") return t("search.hint");
    if (state === "failed") {
      return [error.message, " ", h("button", { class: "link", type: "button",
        onclick: () => this.finder.again() }, t("load.retry"))];
    }
    if (state === "asking") return results.length ? "" : t("search.asking");
    const none = results.length ? "" : t(nextCursor ? "search.nothingNew" : "search.nothing");
    const said = [none, indexing ? t("search.indexing", indexing) : ""];
    return said.filter(Boolean).join(" ");
  }
}
