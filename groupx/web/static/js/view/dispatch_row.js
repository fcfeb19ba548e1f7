// What the assistant did in its user's name: one folded row that says to whom.

import { fill, h } from "../base/dom.js";
import { clockTime } from "../base/time.js";
import { t } from "../words/index.js";
import { firstLine } from "./plain.js";
import { finished } from "./rendered.js";
import { BRIEF } from "./text.js";

const EXCERPT = 120;

export class DispatchRow {
  constructor({ state }) {
    this.state = state;
    this.element = h("div", { class: "line" });
  }

  update({ event, occurredAt }) {
    const { actor, body } = event;
    const targets = (body.targets ?? []).map((target) => this.state.agentName(target)).join(", ");
    const title = t(targets ? "notice.dispatch" : "notice.dispatch.room", { name: actor.displayName, targets });
    fill(this.element, h("details", { class: "fold" },
      h("summary", null, title, h("span", { class: "excerpt" }, firstLine(body.content ?? "", EXCERPT))),
      finished(body.content ?? "", this.state.html.get(event.eventId), { fold: BRIEF })), h("time", { datetime: occurredAt }, clockTime(occurredAt)));
  }
}
