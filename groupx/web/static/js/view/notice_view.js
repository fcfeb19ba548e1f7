// Lines between the messages: what happened to the room, and what this page does not know.

import { h, fill } from "../base/dom.js";
import { fullReason } from "../base/reasons.js";
import { has, t } from "../words/index.js";
import { clockTime } from "../base/time.js";
import { textElement } from "./text.js";

const MAX_CHARACTERS = 4000;

export class NoticeView {
  constructor({ state }) {
    this.state = state;
    this.element = h("div", { class: "line" });
  }

  update({ kind, event, text, links = [], occurredAt }) {
    const at = h("time", { datetime: occurredAt }, clockTime(occurredAt));
    if (kind === "local") fill(this.element, h("span", null, text,
      links.map(({ href, text: words }) => [" ", h("a", { href }, words)])), at);
    else fill(this.element, this.body(event), at);
  }

  body({ type, actor, body }) {
    const key = `notice.${type}`;
    const about = body.actorId ?? actor.actorId;
    const words = (fullReason(body.errorCode ?? body.code, body.message) || body.limit) ?? "";
    if (has(key)) {
      return h("span", null, t(key, { name: this.state.agentName(about), text: words }));
    }
    const raw = JSON.stringify(body, null, 2).slice(0, MAX_CHARACTERS);
    return h("details", { class: "fold" }, h("summary", null, `${actor.displayName} · ${type}`),
      textElement(raw));
  }
}
