// What the room remembers, and how full its context is. Addresses: `#/memory`, `#/memory/<memory id>`, and
// `#/memory/new/<event id>` to keep what a message says.

import { fill, h } from "../base/dom.js";
import { besideHash } from "../frame/router.js";
import { records } from "../transport/remembered.js";
import { placeOf } from "../view/record_row.js";
import { t } from "../words/index.js";
import { ContextLine } from "./memory/context_line.js";
import { ofOlderRoom } from "./older_room.js";
import { KINDS, MAX_CHARACTERS } from "./records/kinds.js";
import { RecordList } from "./records/list.js";

const TYPING_MS = 250;
const REMEMBERED = /^memory\.|^context\.(reset|compaction\.completed)$/;

export class MemoryPanel {
  constructor(state) {
    this.state = state;
    this.shown = null;
  }

  title() {
    return t("memory.title");
  }

  async draw(body, [what, eventId]) {
    const shown = new ShownMemory(this.state);
    this.shown = shown;
    fill(body, shown.root);
    if (what === "new" && eventId) shown.rememberMessage(eventId);
    await (what && what !== "new" ? shown.goTo(what) : shown.refresh());
  }

  eventArrived(event) {
    this.shown?.eventArrived(event);
  }

  closed() {
    this.shown = null;
  }
}

/** A memory, or else an identity. */
async function eitherRecord(id) {
  try {
    return await records.read("memory", id);
  } catch (error) {
    if (error.code !== "NOT_FOUND") throw error;
    return records.read("identity", id);
  }
}

class ShownMemory {
  constructor(state) {
    this.state = state;
    this.context = state.room.active ? new ContextLine() : null;
    this.kind = h("select", { "aria-label": t("record.kind"), onchange: () => this.filter() },
      h("option", { value: "" }, t("memory.allKinds")),
      [...KINDS, "summary"].map((kind) => h("option", { value: kind }, t(`record.kind.${kind}`))));
    this.words = h("input", { type: "search", placeholder: t("memory.search"), "aria-label": t("memory.search"),
      oninput: () => this.typed() });
    const isHere = state.room.active;
    this.room = this.list("room", { blank: { scopeType: "room" }, title: t("memory.room"),
      hint: isHere ? t("memory.roomHint") : null, none: t(isHere ? "memory.none" : "memory.noneHere") });
    this.interactions = this.list("correlation", { blank: null, title: t("memory.interactions"),
      hint: isHere ? t("memory.interactionsHint") : null, none: t("memory.noneHere"), fromFirst: true });
    this.root = h("div", { class: "panel-content" }, ofOlderRoom(state, "memory"), this.context?.element,
      h("div", { class: "filters", role: "search" }, this.words, this.kind),
      this.room.element, this.interactions.element);
  }

  list(scopeType, options) {
    const roomId = this.state.olderRoomId;
    return new RecordList(this.state, {
      family: "memory", readOnly: !this.state.room.active, ...options,
      query: () => ({ scopeType, roomId, kind: this.kind.value || null, q: this.words.value.trim() || null }),
    });
  }

  async refresh() {
    await Promise.all([this.context?.refresh(), this.filter()]);
  }

  /** To one record, of which nothing but the id is known: here, or where it is kept. */
  async goTo(id) {
    const { record, roomId } = await eitherRecord(id);
    const isElsewhere = roomId && roomId !== this.state.room.roomId;
    if (isElsewhere) location.replace(besideHash(roomId, { name: "memory", args: [id] }));
    else if (record.scopeType !== "room" && record.scopeType !== "correlation") location.replace(placeOf(record));
    else {
      const list = record.scopeType === "room" ? this.room : this.interactions;
      await Promise.all([this.refresh(), list.seek(record)]);
    }
  }

  async filter() {
    await Promise.all([this.room.refresh(), this.interactions.refresh()]);
  }

  typed() {
    this.room.sought = this.interactions.sought = null;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.filter(), TYPING_MS);
  }

  rememberMessage(eventId) {
    const content = this.state.events.get(eventId)?.body.content ?? "";
    this.room.open({ content: content.slice(0, MAX_CHARACTERS), sourceEventId: eventId });
  }

  eventArrived(event) {
    this.context?.eventArrived(event);
    if (REMEMBERED.test(event.type)) this.filter();
  }
}
