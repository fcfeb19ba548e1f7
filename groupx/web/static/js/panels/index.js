// Every view that opens beside the room.

import { AgentPanel } from "./agent_panel.js";
import { AssistantPanel } from "./assistant_panel.js";
import { MemoryPanel } from "./memory_panel.js";
import { SetupView } from "../setup/view.js";
import { TurnPanel } from "./turn_panel.js";

export function addPanels(panel, state) {
  panel.add("turn", new TurnPanel(state));
  panel.add("agent", new AgentPanel(state));
  panel.add("memory", new MemoryPanel(state));
  panel.add("setup", new SetupView());
  panel.add("assistant", new AssistantPanel(state));
}
