// One agent. Addresses: `#/agent/<id>`, `#/agent/<id>/memory`, `#/agent/<id>/identity`, and of these two one
// record: `…/<record id>`.

import { fill, h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { t } from "../words/index.js";
import { Identity } from "./agent/identity.js";
import { Memories } from "./agent/memories.js";
import { Overview } from "./agent/overview.js";

const TABS = { now: Overview, memory: Memories, identity: Identity };

export class AgentPanel {
  constructor(state) {
    this.state = state;
    this.shown = null;
  }

  title([id]) {
    return this.state.agentName(actorIdOf(id));
  }

  async draw(body, [id, tab = "now", recordId]) {
    const actorId = actorIdOf(id);
    const name = tab in TABS ? tab : "now";
    const isHere = this.state.agents.has(actorId);
    this.shown = null;
    const unknown = isHere ? null : h("p", { class: "note" }, t("agent.unknown", { id }));
    if (unknown && !recordId) {
      fill(body, unknown);
      return;
    }
    const shown = new TABS[name](this.state, actorId);
    this.shown = shown;
    fill(body, unknown ?? tabs(actorId.replace(/^agent:/, ""), name), shown.root);
    await (recordId && shown.goTo ? shown.goTo(recordId) : shown.refresh());
  }

  agentsChanged() {
    this.shown?.agentsChanged?.();
  }

  eventArrived(event) {
    this.shown?.eventArrived?.(event);
  }

  closed() {
    this.shown = null;
  }
}

function actorIdOf(id) {
  return id?.startsWith("agent:") ? id : `agent:${id}`;
}

function tabs(id, current) {
  return h("nav", { class: "tabs", "aria-label": t("agent.tabs") }, Object.keys(TABS).map((name) =>
    h("a", { href: name === "now" ? routeHash("agent", id) : routeHash("agent", id, name),
      "aria-current": name === current ? "page" : null }, t(`agent.tab.${name}`))));
}
