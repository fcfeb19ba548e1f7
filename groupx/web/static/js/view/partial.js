// What an agent had written of an answer that never came: kept in the ledger, and loaded when it is
// asked for, unless this tab saw it being written.

import { fill, h } from "../base/dom.js";
import { get } from "../transport/api.js";
import { t } from "../words/index.js";
import { foldedText } from "./text.js";

/** Whether there may be such a text. @param {import("../store/turns.js").Turn} turn */
export function mayHavePartial(turn) {
  if (!turn.ended || turn.status === "completed" || turn.text) return false;
  return turn.partialCharacters === undefined ? Boolean(turn.startedAt) : turn.partialCharacters > 0;
}

export class PartialView {
  constructor() {
    this.body = h("div", { class: "partial-text", "aria-live": "polite" });
    this.element = h("details", { class: "fold partial", hidden: true },
      h("summary", null, t("turn.partial")), this.body);
    this.element.addEventListener("toggle", () => this.show());
    this.isLoaded = false;
  }

  update(turn) {
    this.turn = turn;
    this.element.hidden = !mayHavePartial(turn);
  }

  async show() {
    if (!this.element.open || this.isLoaded) return;
    fill(this.body, h("p", { class: "note" }, t("panel.loading")));
    try {
      const { partialText } = await get(`/api/turns/${encodeURIComponent(this.turn.turnId)}`);
      this.isLoaded = true;
      fill(this.body, partialText ? foldedText(partialText) : h("p", { class: "note" }, t("turn.noPartial")));
    } catch (error) {
      fill(this.body, h("p", { class: "note" }, error.message));
    }
  }
}
