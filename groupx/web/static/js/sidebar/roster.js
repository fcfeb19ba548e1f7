// The sidebar: every agent, what it does, and what can be done about it.

import { commands } from "../transport/api.js";
import { assignColours, avatar } from "../base/actors.js";
import { fill, h, redrawn, say } from "../base/dom.js";
import { reason } from "../base/reasons.js";
import { elapsedElement } from "../base/time.js";
import { routeHash } from "../frame/router.js";
import { language, t } from "../words/index.js";
import { actionButton } from "../view/actions.js";
import { closeRoster } from "./drawer.js";

const TONES = {
  idle: "good", working: "busy", cancelling: "busy", starting: "busy", recovering: "busy",
  failed: "bad", stopped: "dim", pending_restart: "warn",
};

const RUNNING = new Set(["idle", "working", "cancelling", "starting", "recovering"]);

export class Roster {
  constructor(root, state) {
    this.state = state;
    this.opened = new Set();
    this.items = new Map();
    this.none = h("p", { class: "note", hidden: true });
    this.list = h("ul", { class: "agents" });
    this.error = h("p", { class: "roster-error", role: "alert", hidden: true });
    this.close = h("button", { class: "quiet only-narrow", type: "button",
      onclick: closeRoster }, t("close"));
    fill(root, h("div", { class: "sidebar-head" }, h("h2", null, t("agents.title")), this.close),
      this.list, this.none, this.error);
  }

  draw() {
    const agents = [...this.state.agents.values()];
    assignColours(agents.map((agent) => agent.actorId));
    for (const [actorId, item] of this.items) {
      if (!this.state.agents.has(actorId)) item.remove();
    }
    for (const agent of agents) this.drawAgent(agent);
    say(this.none, agents.length ? "" : t("agents.none"));
  }

  drawAgent(agent) {
    let item = this.items.get(agent.actorId);
    if (!item) {
      item = h("li", { "data-agent": agent.id });
      this.items.set(agent.actorId, item);
    }
    if (!item.isConnected) this.list.append(item);
    const turn = this.state.turns.byId.get(agent.lane.activeTurnId);
    redrawn(item, [agent, turn?.startedAt], () => fill(item, this.agent(agent, turn)));
    item.classList.toggle("disabled", !agent.enabled);
  }

  agent(agent, turn) {
    const working = agent.state === "working" || agent.state === "cancelling";
    const since = working ? turn?.startedAt ?? agent.since : null;
    const summary = h("summary", { "data-key": `agent:${agent.actorId}` },
      avatar(agent.actorId, agent.name),
      h("span", { class: "agent-text" },
        h("span", { class: "agent-name" }, agent.name),
        h("span", { class: "agent-state" },
          h("span", { class: `dot tone-${TONES[agent.state] ?? "dim"}`, "aria-hidden": "true" }),
          t(`agent.state.${agent.state}`), since ? elapsedElement(since) : null,
          agent.lane.queued ? h("span", { class: "badge" }, t("agent.queued", { n: agent.lane.queued })) : null,
          agent.paused ? h("span", { class: "badge warn" }, t("agent.paused")) : null),
        gauge(agent)));
    const details = h("details", { class: "agent", open: this.opened.has(agent.actorId) },
      summary, this.body(agent));
    details.addEventListener("toggle", () => {
      if (details.open) this.opened.add(agent.actorId);
      else this.opened.delete(agent.actorId);
    });
    const why = agent.lastError && !RUNNING.has(agent.state)
      ? h("p", { class: "agent-error", title: agent.lastError.code }, reason(agent.lastError.code, agent.lastError.message)) : null;
    return [details, why];
  }

  body(agent) {
    const facts = [
      ["agent.driver", agent.driver],
      ["agent.program", agent.program ? `${agent.program.name} ${agent.program.version}` : null],
      ["agent.session", agent.continuity ? t(`agent.continuity.${agent.continuity}`) : null],
      ["agent.cwd", agent.cwd],
      ["roster.packet", agent.context ? contextWords(agent.context) : null],
    ];
    return h("div", { class: "agent-body" },
      h("dl", null, facts.filter(([, value]) => value).map(([key, value]) =>
        [h("dt", null, t(key)), h("dd", { title: value }, value)])),
      h("div", { class: "buttons" }, this.actions(agent)));
  }

  actions(agent) {
    const button = (name, run) => actionButton(t(`agent.${name}`), async () => {
      say(this.error, "");
      await run();
    }, { kind: "button", key: `${agent.actorId}:${name}`, onError: (error) => say(this.error, error.message) });
    const control = (action) => button(action, () => commands.agent(agent.id, action));
    if (agent.state === "pending_restart") {
      return h("a", { class: "link", href: routeHash("setup"), "data-key": `${agent.actorId}:setup` }, t("places.setup"));
    }
    const lane = agent.paused ? "resume" : "pause";
    return [
      RUNNING.has(agent.state) ? [control("restart"), control("stop")] : control("start"),
      button(lane, () => commands.lane(agent.actorId, lane)),
      h("a", { class: "link", href: routeHash("agent", agent.id), "data-key": `${agent.actorId}:page` }, t("agent.page")),
    ];
  }
}

function contextWords({ characters, max }) {
  const count = (value) => value.toLocaleString(language());
  return t("roster.packet.size", { n: count(characters), max: count(max) });
}

/** How much of what may be told to an agent at once its last packet was: a thin line. */
function gauge({ context }) {
  const words = context ? contextWords(context) : null;
  return h("span", { class: "context-line", title: words },
    context ? h("meter", { min: 0, max: context.max, value: context.characters, "aria-label": words }) : null);
}
