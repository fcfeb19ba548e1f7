// The days of an agent's work: which were written down, and what of them still waits.

import { fill, h } from "../../base/dom.js";
import { clockTime, dayName } from "../../base/time.js";
import { days } from "../../transport/remembered.js";
import { t } from "../../words/index.js";
import { momentOf } from "../records/kinds.js";
import { RecordList } from "../records/list.js";

export class Days {
  constructor(state, actorId, readOnly) {
    this.actorId = actorId;
    this.roomId = state.olderRoomId;
    this.dates = new Map();
    this.waiting = h("ul", { class: "waiting note" });
    this.list = new RecordList(state, {
      family: "memory", readOnly, title: t("agent.days"), hint: t("agent.daysHint"), none: t("agent.daysNone"),
      query: () => ({ scopeType: "agent", scopeId: actorId, agentMemoryType: "dated", roomId: this.roomId }), blank: null,
      above: this.waiting, before: () => this.loadDays(), headingOf: (record) => dayName(this.day(record)),
    });
    this.element = this.list.element;
  }

  refresh() {
    return this.list.refresh();
  }

  seek(record) {
    return this.list.seek(record);
  }

  /** Of an earlier record only the time it was written is known. */
  day(record) {
    const localDate = this.dates.get(record.memoryId);
    return localDate ? momentOf(localDate) : record.createdAt;
  }

  async loadDays() {
    const { days: found } = await days(this.actorId, this.roomId);
    this.dates = new Map(found.filter((day) => day.record).map((day) => [day.record.memoryId, day.localDate]));
    fill(this.waiting, found.filter((day) => day.waitingTurns).map((day) => h("li", null, waits(day))));
  }
}

/** What waits of one day, and why it was not written yet where a try failed. */
function waits({ localDate, waitingTurns, lastErrorCode, nextAttemptAt }) {
  const line = t("agent.waiting", { day: dayName(momentOf(localDate)), n: waitingTurns });
  if (!lastErrorCode) return line;
  const again = nextAttemptAt ? t("agent.waitingAgain", { time: clockTime(nextAttemptAt) }) : "";
  return `${line} ${t("agent.waitingFailed", { code: lastErrorCode })} ${again}`.trim();
}
