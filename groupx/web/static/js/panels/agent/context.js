// How full an agent's own context is, by kind of request.

import { fill, h, redrawn, say } from "../../base/dom.js";
import { datedElement } from "../../base/time.js";
import { routeHash } from "../../frame/router.js";
import { context } from "../../transport/remembered.js";
import { t } from "../../words/index.js";
import { bar } from "../bar.js";
import { number, section } from "../parts.js";
import { Refresher } from "../refresher.js";

const CHANGES = /^(context\.reset|context\.compaction\.completed)$/;

export class AgentContext {
  constructor(state, actorId) {
    this.actorId = actorId;
    this.isHere = state.room.active;
    this.gauge = h("div", { class: "gauge" });
    this.rows = h("ul", { class: "sizes" });
    this.none = h("p", { class: "note", hidden: true });
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.element = section(t("agent.context"),
      h("a", { class: "link", href: routeHash("memory"), "data-key": "room-context" }, t("agent.roomContext")),
      this.gauge, this.rows, this.none, this.error);
    this.refresher = new Refresher(() => this.load());
  }

  /** What was measured is of the current room. */
  async refresh() {
    if (!this.isHere) return;
    try {
      await this.refresher.ask();
      say(this.error, "");
    } catch (error) {
      say(this.error, error.message);
    }
  }

  async load() {
    const { bySource } = await context.read();
    const mine = bySource.filter((row) => row.actorId === this.actorId);
    fill(this.rows, mine.map((row) => h("li", null,
      h("span", { class: "size-name" }, t(`context.source.${row.source}`)),
      h("span", { class: "size-count note" }, counted(row), " · ", datedElement(row.updatedAt)))));
    say(this.none, mine.length ? "" : t("agent.noUse"));
  }

  agentChanged({ context: size }) {
    redrawn(this.gauge, size ?? null, () => fill(this.gauge, size
      ? [bar([{ share: size.characters / size.max, tone: "busy" }]),
        h("p", { class: "note" }, t("agent.packet", { n: number(size.characters), max: number(size.max) }))]
      : h("p", { class: "note" }, t("agent.noPacket"))));
  }

  eventArrived({ type, actor }) {
    if (CHANGES.test(type) || (type === "turn.completed" && actor.actorId === this.actorId)) this.refresh();
  }
}

function counted({ characters, tokens }) {
  if (!characters && !tokens) return t("context.unmeasured");
  return [characters !== null && characters !== undefined ? t("details.characters", { n: number(characters) }) : null,
    tokens ? t("context.tokens", { n: number(tokens) }) : null].filter(Boolean).join(" · ");
}
