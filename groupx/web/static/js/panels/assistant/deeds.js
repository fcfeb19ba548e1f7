// What the assistant did in the room: a folded list that leads there.

import { fill, h } from "../../base/dom.js";
import { datedElement } from "../../base/time.js";
import { t } from "../../words/index.js";
import { deeds } from "./conversation.js";

const SHOWN = 20;
const EXCERPT = 90;

export class Deeds {
  constructor(state) {
    this.state = state;
    this.element = h("details", { class: "fold deeds", hidden: true });
    this.newest = null;
  }

  draw() {
    const events = this.state.entries.order.map((entry) => entry.event).filter(Boolean);
    const done = deeds(events).slice(0, SHOWN);
    this.element.hidden = !done.length;
    if (!done.length || this.newest === done[0].eventId) return;
    this.newest = done[0].eventId;
    fill(this.element, h("summary", null, t("assistant.deeds", { n: done.length })),
      h("ul", null, done.map((event) => h("li", null, h("a", { href: `#${event.eventId}` }, excerpt(event)), " ",
        h("span", { class: "note" }, datedElement(event.occurredAt))))));
  }
}

function excerpt({ type, body }) {
  const words = (body.content ?? body.record?.content ?? "").trim().replace(/\s+/g, " ");
  return words.slice(0, EXCERPT) || type;
}
