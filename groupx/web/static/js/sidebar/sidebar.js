// What stands beside the room: its agents, what can be opened, the other rooms, and this very page.

import { fill, h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { Foot } from "./foot.js";
import { places } from "./places.js";
import { Roster } from "./roster.js";
import { Rooms } from "./rooms.js";
import { t } from "../words/index.js";

export class Sidebar {
  /** @param {HTMLElement} root @param {import("../store/state.js").RoomState} state
   * @param {{ onHelp: () => void, attention: HTMLElement }} parts */
  constructor(root, state, { onHelp, attention }) {
    this.state = state;
    const agents = h("div", null);
    this.roster = new Roster(agents, state);
    this.rooms = new Rooms(state);
    this.foot = new Foot({ onHelp, attention });
    root.setAttribute("aria-label", t("sidebar"));
    fill(root, agents, places(), this.rooms.element, this.foot.element);
  }

  /** A bootstrap answer came. */
  loaded(bootstrap) {
    this.rooms.show(bootstrap.rooms);
    this.foot.show(bootstrap);
  }

  draw() {
    this.roster.draw();
  }

  /** The page of the agent at this place of the list. */
  openAgent(index) {
    const agent = [...this.state.agents.values()][index];
    if (agent) location.hash = routeHash("agent", agent.id);
  }
}
