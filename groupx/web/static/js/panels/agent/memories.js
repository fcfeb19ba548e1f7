// What an agent keeps for itself: core memories, its days, and whether it may.

import { h } from "../../base/dom.js";
import { t } from "../../words/index.js";
import { records } from "../../transport/remembered.js";
import { ofOlderRoom } from "../older_room.js";
import { RecordList } from "../records/list.js";
import { Days } from "./days.js";
import { PolicyForm } from "./policy.js";

export class Memories {
  constructor(state, actorId) {
    this.actorId = actorId;
    const readOnly = !state.room.active || !state.agents.has(actorId);
    this.core = new RecordList(state, {
      family: "memory", readOnly, title: t("agent.core"), hint: t("agent.coreHint"), none: t("agent.coreNone"),
      query: () => ({ scopeType: "agent", scopeId: actorId, agentMemoryType: "core", roomId: state.olderRoomId }),
      blank: { scopeType: "agent", scopeId: actorId },
    });
    this.days = new Days(state, actorId, readOnly);
    this.policy = new PolicyForm(actorId, { readOnly, roomId: state.olderRoomId });
    this.root = h("div", { class: "panel-content" }, ofOlderRoom(state, "agentMemory"), this.core.element, this.days.element,
      this.policy.element);
  }

  async goTo(memoryId) {
    const { record } = await records.read("memory", memoryId);
    const list = record.agentMemoryType === "dated" ? this.days : this.core;
    await Promise.all([this.refresh(), list.seek(record)]);
  }

  async refresh() {
    await Promise.all([this.core.refresh(), this.days.refresh(), this.policy.refresh()]);
  }

  eventArrived({ type, body, actor }) {
    if (type === "turn.completed" && actor.actorId === this.actorId) this.days.refresh();
    if (type.startsWith("memory.") && body.record?.scopeId === this.actorId) {
      (body.record.agentMemoryType === "dated" ? this.days : this.core).refresh();
    }
    if (type === "memory.policy.changed" && body.actorId === this.actorId) this.policy.refresh();
  }
}
