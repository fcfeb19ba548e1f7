// What agents have written of their days, one time after another: one folded row, which shows the
// newest of each.

import { fill, h, redrawn } from "../base/dom.js";
import { clockTime } from "../base/time.js";
import { t } from "../words/index.js";
import { placeOf } from "./record_row.js";
import { finished } from "./rendered.js";
import { BRIEF } from "./text.js";

export class DiaryRow {
  constructor({ state }) {
    this.state = state;
    this.title = h("span", null);
    this.text = h("div", null);
    this.time = h("time", null);
    this.element = h("div", { class: "line" },
      h("details", { class: "fold" }, h("summary", null, this.title), h("p", { class: "note" }, t("notice.day.what")),
        this.text), this.time);
  }

  update() {
    // What it shows depends on those that follow.
  }

  /** @param {{ event: any, occurredAt: string }[]} run */
  show(run) {
    const { occurredAt } = run[run.length - 1];
    this.time.setAttribute("datetime", occurredAt);
    this.time.textContent = clockTime(occurredAt);
    const agents = newestOfEach(run);
    this.title.textContent = agents.map(({ event, count }) =>
      t(count > 1 ? "notice.day.times" : "notice.day", { name: this.state.agentName(event.actor.actorId), n: count })).join(" · ");
    redrawn(this.text, agents.map(({ event }) => event.eventId), () => fill(this.text, agents.map(({ event }) => [
      agents.length > 1 ? h("p", { class: "note" }, this.state.agentName(event.actor.actorId)) : null,
      finished(event.body.record.content, this.state.html.get(event.eventId), { fold: BRIEF }),
      h("a", { class: "link", href: placeOf(event.body.record) }, t("record.place")),
    ])));
  }
}

/** @param {{ event: any }[]} run */
export function newestOfEach(run) {
  const agents = new Map();
  for (const { event } of run) {
    const count = (agents.get(event.actor.actorId)?.count ?? 0) + 1;
    agents.set(event.actor.actorId, { event, count });
  }
  return [...agents.values()];
}
