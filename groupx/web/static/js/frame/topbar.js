// The bar above the timeline: which room this is, how the connection is, and the search.

import { fill, h } from "../base/dom.js";
import { openRoster } from "../sidebar/drawer.js";
import { language, t } from "../words/index.js";
import { keyName } from "./keys.js";

/** What a room is called: the first one has no title of its own. */
export function roomName(room) {
  if (room.title !== room.roomId) return room.title;
  return room.active ? "GroupX" : t("rooms.untitled", { date: dayOf(room.createdAt) });
}

/** The day, with its year when it is not this one. */
function dayOf(iso) {
  const date = new Date(iso);
  /** @type {Intl.DateTimeFormatOptions} */
  const parts = { month: "short", day: "numeric" };
  if (date.getFullYear() !== new Date().getFullYear()) parts.year = "numeric";
  return date.toLocaleDateString(language(), parts);
}

export class Topbar {
  /** @param {HTMLElement} root @param {{ pill: HTMLElement, onSearch: () => void }} parts */
  constructor(root, { pill, onSearch }) {
    this.root = root;
    this.pill = pill;
    this.menu = h("button", { class: "button only-narrow", type: "button", "aria-controls": "sidebar",
      onclick: openRoster }, t("menu"));
    this.search = h("button", { class: "search-open", type: "button", onclick: onSearch,
      "aria-keyshortcuts": "Control+K Meta+K" }, h("span", null, t("search.open")), h("kbd", null, keyName("Mod+k")));
  }

  loading() {
    fill(this.root, h("span", { class: "loading" }, t("loading")));
  }

  failed() {
    fill(this.root, h("h1", null, "GroupX"));
  }

  show(room) {
    fill(this.root, h("h1", null, roomName(room)), this.pill, h("span", { class: "spacer" }),
      this.search, this.menu);
  }
}
