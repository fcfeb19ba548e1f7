// How full an agent's own context is, by kind of request.

import { fill, h, redrawn, say } from "../../base/dom.js";
import { timeElement } from "../../base/time.js";
import { t } from "../../words/index.js";
import { bar } from "../bar.js";
import { ContextLine } from "../memory/context_line.js";
import { number } from "../parts.js";

export class AgentContext {
  constructor(state, actorId) {
    this.actorId = actorId;
    this.gauge = h("div", { class: "gauge" });
    this.rows = h("ul", { class: "sizes" });
    this.none = h("p", { class: "note", hidden: true });
    this.line = state.room.active ? new ContextLine({ onContext: (now) => this.take(now) }) : null;
    this.element = h("div", { class: "panel-content" },
      h("section", { class: "part" }, h("div", { class: "part-head" }, h("h3", null, t("agent.context"))),
        this.gauge, this.rows, this.none),
      this.line?.element);
  }

  async refresh() {
    await this.line?.refresh();
  }

  agentChanged({ context: size }) {
    redrawn(this.gauge, size ?? null, () => fill(this.gauge, size
      ? [bar([{ share: size.characters / size.max, tone: "busy" }]),
        h("p", { class: "note" }, t("agent.packet", { n: number(size.characters), max: number(size.max) }))]
      : h("p", { class: "note" }, t("agent.noPacket"))));
  }

  take({ bySource }) {
    const mine = bySource.filter((row) => row.actorId === this.actorId);
    fill(this.rows, mine.map((row) => h("li", null,
      h("span", { class: "size-name" }, t(`context.source.${row.source}`)),
      h("span", { class: "size-count note" }, counted(row), " · ", timeElement(row.updatedAt)))));
    say(this.none, mine.length ? "" : t("agent.noUse"));
  }

  eventArrived(event) {
    if (event.type === "turn.completed" && event.actor.actorId === this.actorId) this.refresh();
    else this.line?.eventArrived(event);
  }
}

function counted({ characters, tokens }) {
  if (!characters && !tokens) return t("context.unmeasured");
  return [characters !== null && characters !== undefined ? t("details.characters", { n: number(characters) }) : null,
    tokens ? t("context.tokens", { n: number(tokens) }) : null].filter(Boolean).join(" · ");
}
