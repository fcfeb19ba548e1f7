// What an agent is doing now, in which program and session, and what that program can do.

import { avatar } from "../../base/actors.js";
import { fill, h, redrawn, say } from "../../base/dom.js";
import { original, reason } from "../../base/reasons.js";
import { elapsedElement } from "../../base/time.js";
import { routeHash } from "../../frame/router.js";
import { commands } from "../../transport/api.js";
import { actionButton } from "../../view/actions.js";
import { has, t } from "../../words/index.js";
import { ofOlderRoom } from "../older_room.js";
import { facts, section } from "../parts.js";
import { AgentContext } from "./context.js";

const RUNNING = new Set(["idle", "working", "cancelling", "starting", "recovering"]);

export class Overview {
  constructor(state, actorId) {
    this.state = state;
    this.actorId = actorId;
    this.standing = h("div", { class: "panel-content" });
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.context = new AgentContext(state, actorId);
    this.rest = h("div", { class: "panel-content" });
    this.root = h("div", { class: "panel-content" }, ofOlderRoom(state, "agent"), this.standing, this.error, this.context.element, this.rest);
    this.agentsChanged();
  }

  async refresh() {
    await this.context.refresh();
  }

  agentsChanged() {
    const agent = this.state.agents.get(this.actorId);
    if (!agent) return;
    const turn = this.state.turns.byId.get(agent.lane.activeTurnId);
    redrawn(this.standing, [agent, turn?.startedAt], () => fill(this.standing, this.now(agent, turn)));
    redrawn(this.rest, agent.capabilities, () => fill(this.rest, capabilities(agent)));
    this.context.agentChanged(agent);
  }

  eventArrived(event) {
    this.context.eventArrived(event);
  }

  now(agent, turn) {
    const working = agent.state === "working" || agent.state === "cancelling";
    const since = working ? turn?.startedAt ?? agent.since : null;
    return [
      h("div", { class: "agent-now" },
        avatar(agent.actorId, agent.name),
        h("div", null,
          h("div", null, h("span", { class: `state-${agent.state}` }, t(`agent.state.${agent.state}`)),
            since ? [" ", elapsedElement(since)] : null,
            agent.lane.queued ? ` · ${t("agent.queued", { n: agent.lane.queued })}` : null,
            agent.paused ? ` · ${t("agent.paused")}` : null),
          working && agent.lane.activeTurnId ? h("a", { class: "link", "data-key": "turn",
            href: routeHash("turn", agent.lane.activeTurnId) }, t("agent.itsTurn")) : null)),
      agent.lastError ? h("div", { class: "ending bad agent-last-error" },
        h("strong", null, t(RUNNING.has(agent.state) ? "agent.lastError" : "agent.state.failed")),
        h("span", { class: "why-full" }, reason(agent.lastError.code, agent.lastError.message)), saidBy(agent.lastError), h("code", null, agent.lastError.code)) : null,
      h("div", { class: "buttons" }, this.actions(agent)),
      facts([
        ["agent.program", agent.program ? `${agent.program.name} ${agent.program.version}` : null],
        ["agent.driver", agent.driver],
        ["agent.session", session(agent)],
        ["agent.cwd", agent.cwd],
        ["agent.tools", t(`agent.tools.${agent.mcp}`)],
      ]),
    ];
  }

  actions(agent) {
    const button = (name, run) => actionButton(t(`agent.${name}`), async () => {
      say(this.error, "");
      await run();
    }, { kind: "button", key: name, onError: (error) => say(this.error, error.message) });
    const control = (action) => button(action, () => commands.agent(agent.id, action));
    const lane = agent.paused ? "resume" : "pause";
    const settings = h("a", { class: "link", href: routeHash("setup"), "data-key": "setup" }, t("agent.settings"));
    if (agent.state === "pending_restart") return [settings];
    return [
      RUNNING.has(agent.state) ? [control("restart"), control("stop")] : control("start"),
      button(lane, () => commands.lane(agent.actorId, lane)),
      settings,
    ];
  }
}

/** What the daemon said of it, where that is in another language. */
function saidBy({ code, message }) {
  const said = original(code, message);
  return said ? h("span", { class: "why-full note", lang: "en" }, said) : null;
}

function session({ continuity }) {
  if (!continuity) return null;
  return [t(`agent.continuity.${continuity}`), h("div", { class: "note" }, t(`agent.continuityMeans.${continuity}`))];
}

/** What its program can do, and how that is known. */
function capabilities({ capabilities: known }) {
  const names = Object.entries(known ?? {});
  if (!names.length) return null;
  return section(t("agent.can"), null, h("ul", { class: "abilities" }, names.map(([name, label]) =>
    h("li", { class: `ability ability-${label}` },
      h("span", null, worded("agent.can", name)),
      h("span", { class: "note" }, worded("agent.label", label))))));
}

function worded(prefix, name) {
  const key = `${prefix}.${name}`;
  return has(key) ? t(key) : name;
}
