// A memory or an identity record, where it was written: one folded row that leads to its place.

import { fill, h } from "../base/dom.js";
import { clockTime } from "../base/time.js";
import { routeHash } from "../frame/router.js";
import { has, t } from "../words/index.js";
import { firstLine } from "./plain.js";
import { finished } from "./rendered.js";
import { BRIEF } from "./text.js";

export class RecordRow {
  constructor({ state }) {
    this.state = state;
    this.element = h("div", { class: "line" });
  }

  update({ event, occurredAt }) {
    fill(this.element, this.row(event), h("time", { datetime: occurredAt }, clockTime(occurredAt)));
  }

  row({ eventId, type, actor, body }) {
    const name = actor.actorId === "user:web" ? t("actor.you") : actor.displayName;
    const key = `notice.${type}`;
    const { record } = body;
    if (!record) return this.policy(key, name, body);
    const title = has(key) ? t(key, { name, about: this.about(record) }) : `${name} · ${type}`;
    return h("details", { class: "fold" },
      h("summary", null, title, h("span", { class: "excerpt" }, firstLine(record.content, 120))),
      finished(record.content, this.state.html.get(eventId), { fold: BRIEF }), h("a", { class: "link", href: placeOf(record) }, t("record.place")));
  }

  policy(key, name, { actorId }) {
    return h("a", { class: "quiet", href: routeHash("agent", idOf(actorId), "memory") },
      t(key, { name, about: this.state.agentName(actorId) }));
  }

  /** Whose it is, where it is not the room's. */
  about({ scopeType, scopeId, subjectActorId }) {
    if (scopeType === "room") return t("record.ofRoom");
    if (scopeType === "correlation") return t("record.ofInteraction");
    return this.state.agentName(scopeId ?? subjectActorId);
  }
}

function idOf(actorId) {
  return actorId.replace(/^agent:/, "");
}

/** The address at which a record is shown. */
export function placeOf({ memoryId, identityId, scopeType, scopeId, subjectActorId }) {
  if (scopeType === "agent") return routeHash("agent", idOf(scopeId), "memory", memoryId);
  if (scopeType) return routeHash("memory", memoryId);
  return routeHash("agent", idOf(subjectActorId), "identity", identityId);
}
