// The timeline: one element per entry, in order, grouped by sender, with dividers between days.

import { h, fill } from "../base/dom.js";
import { avatar, colourClass } from "../base/actors.js";
import { dayKey, dayName, timeElement } from "../base/time.js";
import { entryHash } from "../frame/router.js";
import { t } from "../words/index.js";
import { MessageView, PendingView } from "../view/message_view.js";
import { DiaryRow } from "../view/diary_row.js";
import { DispatchRow } from "../view/dispatch_row.js";
import { LoopStopView } from "../view/loop_stop_view.js";
import { NoticeView } from "../view/notice_view.js";
import { RecordRow } from "../view/record_row.js";
import { runOf } from "./runs.js";
import { SupervisionView } from "../view/supervision_view.js";
import { TurnView } from "../view/turn_view.js";

const GROUP_MS = 5 * 60_000;

/** What is not counted as new. */
const UNCOUNTED = new Set(["pending", "diary"]);

const VIEWS = {
  message: MessageView, turn: TurnView, pending: PendingView,
  notice: NoticeView, aside: RecordRow, local: NoticeView, stopped: LoopStopView,
  supervision: SupervisionView, diary: DiaryRow, dispatch: DispatchRow,
};

/** Who an entry is by; null for lines without a sender. */
function senderOf(entry, state) {
  if (entry.kind === "pending") return { actorId: "user:web", displayName: t("actor.you") };
  if (entry.kind === "turn") {
    const actorId = entry.turn.target ?? "agent:?";
    return entry.event?.actor ?? { actorId, displayName: state.agentName(actorId) };
  }
  return entry.kind === "message" ? entry.event.actor : null;
}

export class Timeline {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.items = new Map();
    /** The days that were gone to: each is a row of its own. */
    this.alone = new Set();
    root.setAttribute("role", "log");
    root.setAttribute("aria-label", t("timeline"));
  }

  clear() {
    this.items.clear();
    this.root.replaceChildren();
  }

  /** Draw the entries of `keys` anew. Returns how many of them are news. */
  draw(keys) {
    const { entries } = this.context.state;
    const changed = [...keys].map((key) => entries.get(key) ?? this.forget(key)).filter(Boolean);
    changed.sort((a, b) => entries.index(b) - entries.index(a));
    let late = 0;
    for (const entry of changed) {
      const isNew = !this.items.has(entry.key);
      this.place(entry);
      if (isNew && !UNCOUNTED.has(entry.kind) && this.isLate(entry)) late++;
    }
    const around = new Set();
    for (const entry of changed) {
      around.add(entry);
      const next = entries.after(entry);
      if (next) around.add(next);
    }
    for (const key of this.orphans ?? []) if (entries.get(key)) around.add(entries.get(key));
    this.orphans = null;
    for (const entry of around) this.arrange(entry);
    this.foldDiaries(around);
    return late;
  }

  /** Days that agents wrote down one after another are one row: the first. */
  foldDiaries(around) {
    const { entries } = this.context.state;
    const folded = new Set();
    for (const near of around) {
      for (const entry of [entries.before(near), near, entries.after(near)]) {
        if (entry?.kind !== "diary" || folded.has(entry)) continue;
        const run = runOf(entry, entries, (later, before) => this.isOneDiary(later, before));
        for (const member of run) {
          folded.add(member);
          this.items.get(member.key).root.hidden = member !== run[0];
        }
        this.items.get(run[0].key).view.show(run);
      }
    }
  }

  isOneDiary(entry, before) {
    return entry.kind === "diary" && before.kind === "diary" && dayKey(entry.occurredAt) === dayKey(before.occurredAt) &&
      !this.alone.has(entry.key) && !this.alone.has(before.key) && !this.context.readMark.isFirstNew(entry, before);
  }

  /** The element of the entry with this event, seen, and unfolded where it is one line; null: it is not here. */
  reveal(eventId) {
    const entry = this.context.state.entryOf(eventId);
    const item = entry && this.items.get(entry.key);
    if (!item) return null;
    if (entry.kind === "diary") {
      this.alone.add(entry.key);
      this.foldDiaries([entry]);
    }
    const fold = item.article.querySelector(":scope > .line > details");
    if (fold) fold.open = true;
    return item.root;
  }

  /** Whether it came after the room was loaded. */
  isLate(entry) {
    return (entry.seq ?? Infinity) > this.context.readMark.until;
  }

  forget(key) {
    const item = this.items.get(key);
    if (!item) return null;
    const next = item.root.nextElementSibling?.dataset.key;
    if (next) (this.orphans ??= []).push(next);
    item.root.remove();
    this.items.delete(key);
    return null;
  }

  place(entry) {
    let item = this.items.get(entry.key);
    if (item && item.kind !== entry.kind) {
      this.forget(entry.key);
      item = null;
    }
    item ??= this.create(entry);
    item.view.update(entry);
    const next = this.context.state.entries.after(entry);
    const before = next ? this.items.get(next.key)?.root ?? null : null;
    if (item.root.nextElementSibling !== before || !item.root.parentNode) {
      this.root.insertBefore(item.root, before);
    }
    if (entry.event) item.root.id = entry.event.eventId;
  }

  create(entry) {
    const view = new VIEWS[entry.kind](this.context);
    const head = h("div", { class: "head" });
    const day = h("div", { class: "day", hidden: true });
    const article = h("article", { class: `entry ${entry.kind}` }, head, view.element);
    const fresh = h("div", { class: "fresh", role: "separator", hidden: true });
    const root = h("div", { class: "item", "data-key": entry.key }, day, fresh, article);
    const item = { kind: entry.kind, view, root, head, day, fresh, article };
    this.items.set(entry.key, item);
    return item;
  }

  /** What depends on the entry before: the day, and whether the sender is said again. */
  arrange(entry) {
    const item = this.items.get(entry.key);
    if (!item) return;
    const { state } = this.context;
    const before = state.entries.before(entry);
    const newDay = !before || dayKey(before.occurredAt) !== dayKey(entry.occurredAt);
    item.day.hidden = !newDay;
    if (newDay) fill(item.day, h("span", null, dayName(entry.occurredAt)));
    item.fresh.hidden = !this.context.readMark.isFirstNew(entry, before);
    item.fresh.textContent = item.fresh.hidden ? "" : t("divider.new");
    const sender = senderOf(entry, state);
    const previous = before ? senderOf(before, state) : null;
    const goesOn = !newDay && item.fresh.hidden && sender !== null && previous?.actorId === sender.actorId &&
      Date.parse(entry.occurredAt) - Date.parse(before.occurredAt) < GROUP_MS;
    item.article.classList.toggle("goes-on", goesOn);
    this.drawHead(item, entry, sender, goesOn);
  }

  drawHead(item, entry, sender, goesOn) {
    const { state } = this.context;
    const key = sender && `${goesOn}|${sender.actorId}|${sender.displayName}|${entry.occurredAt}`;
    if (item.headKey === key) return;
    item.headKey = key;
    if (!sender) {
      fill(item.head);
      return;
    }
    const mine = sender.actorId === "user:web";
    const name = mine ? t("actor.you") : sender.displayName;
    item.article.dataset.actor = sender.actorId;
    item.article.classList.add(colourClass(sender.actorId));
    item.article.classList.toggle("mine", mine);
    const link = entry.event
      ? h("a", { class: "permalink", href: entryHash(state.room, entry.event.eventId) }, timeElement(entry.occurredAt))
      : timeElement(entry.occurredAt);
    if (goesOn) fill(item.head, link);
    else fill(item.head, avatar(sender.actorId, name), h("span", { class: "name" }, name), link);
  }
}
