// What passes between those who work and those who watch them: one folded row each.

import { fill, h } from "../base/dom.js";
import { has, t } from "../words/index.js";
import { clockTime } from "../base/time.js";
import { textElement } from "./text.js";

const MAX_CHARACTERS = 4000;

export class SupervisionView {
  constructor({ state }) {
    this.state = state;
    this.element = h("div", { class: "line" });
  }

  update({ event, occurredAt }) {
    const { reason } = event.body;
    const inside = reason ?? JSON.stringify(event.body, null, 2);
    fill(this.element, h("details", { class: "fold" },
      h("summary", null, this.title(event)), textElement(inside.slice(0, MAX_CHARACTERS))),
    h("time", { datetime: occurredAt }, clockTime(occurredAt)));
  }

  title({ type, actor, body, provenance }) {
    const key = `notice.${type}${body.action === "interrupt" ? ".interrupt" : ""}`;
    if (!has(key)) return `${actor.displayName} · ${type}`;
    return t(key, {
      name: actor.displayName,
      worker: this.state.agentName(provenance?.subjectActorId ?? "?"),
      workers: this.names(body.workers),
      observers: this.names(body.observers),
    });
  }

  names(turns = []) {
    return turns.map(({ actorId }) => this.state.agentName(actorId)).join(", ");
  }
}
