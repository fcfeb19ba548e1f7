// The page: load the room, draw it, follow it.

import { get } from "./transport/api.js";
import { Composer } from "./composer/composer.js";
import { Connection } from "./frame/connection.js";
import { History } from "./room/history.js";
import { Roster } from "./sidebar/roster.js";
import { PendingLine } from "./setup/pending.js";
import { openWizard } from "./setup/view.js";
import { RoomState } from "./store/state.js";
import { RoomStream } from "./transport/stream.js";
import { Scroller } from "./room/scroll.js";
import { Timeline } from "./room/timeline.js";
import { addPanels } from "./panels/index.js";
import { Panel } from "./frame/panel.js";
import { Router, routeHash } from "./frame/router.js";
import { clockTime, startClock } from "./base/time.js";
import { fill, h, say } from "./base/dom.js";
import { switchLanguage, t } from "./words/index.js";

const HIDDEN_FRAME_MS = 250;
const FLASH_MS = 1600;

const part = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.dirty = new Set();
    /** @type {Composer | undefined} */
    this.composer = undefined;
    this.agentsDirty = false;
    this.unseen = 0;
    this.state = new RoomState((keys, agents) => this.changed(keys, agents), {
      now: () => new Date().toISOString(), newId: () => crypto.randomUUID(),
    });
    this.banner = h("div", { class: "banner", role: "status", hidden: true });
    this.toast = h("div", { class: "banner bad", role: "alert", hidden: true });
    this.empty = h("div", { class: "empty", hidden: true }, h("p", null, t("room.empty")),
      h("p", { class: "note" }, t("room.emptyHint")),
      this.databaseNote = h("div", { class: "note" }));
    this.connection = new Connection(this.banner);
    this.pending = new PendingLine();
    this.router = new Router({
      onRoute: (route) => this.panel.show(route),
      onEntry: (eventId) => this.goTo(eventId),
      staysBeside: () => this.panel.isColumn,
    });
    this.panel = new Panel(part("panel"), () => this.router.leave());
    addPanels(this.panel, this.state);
    const context = {
      state: this.state,
      onError: (error) => this.complain(error),
      openTurn: (turnId) => {
        location.hash = routeHash("turn", turnId);
      },
      edit: (event) => this.composer.edit(event),
      sentNow: () => this.scroller.toBottom(),
    };
    this.context = context;
    this.roster = new Roster(part("sidebar"), this.state);
    this.timeline = new Timeline(part("timeline"), context);
    this.history = new History(this.state, () => this.scroller, () => this.draw());
    this.scroller = new Scroller(part("scroller"), part("timeline"), () => this.history.more());
    part("timeline").before(this.history.element);
    part("timeline").after(this.empty);
    fill(part("notices"), this.banner, this.pending.element, this.toast);
  }

  async start() {
    fill(part("topbar"), h("span", { class: "loading" }, t("loading")));
    try {
      const bootstrap = await get("/api/bootstrap", { render: "html" });
      this.state.load(bootstrap);
      this.pending.show(bootstrap);
      this.noteDatabase(bootstrap.database);
    } catch (error) {
      if (error.details?.status === "setup") openWizard();
      else this.cannotLoad(error);
      return;
    }
    this.drawTopbar();
    this.composer ??= new Composer(part("dock"), this.context);
    this.draw();
    this.showEmpty();
    this.composer.rosterChanged();
    this.scroller.toBottom();
    this.history.show();
    this.follow();
    this.router.follow();
  }

  cannotLoad(error) {
    fill(part("topbar"), h("strong", null, "GroupX"));
    fill(this.toast, h("span", null, error.status === 401 ? t("connection.unauthorized")
      : t("load.failed", { message: error.message })),
    h("button", { class: "quiet", type: "button", onclick: () => {
      this.toast.hidden = true;
      this.start();
    } }, t("load.retry")));
    this.toast.hidden = false;
    if (error.code === "RUNTIME_STARTING") setTimeout(() => location.reload(), 1500);
  }

  drawTopbar() {
    const { room } = this.state;
    this.menu = h("button", { class: "button only-narrow", type: "button",
      onclick: () => document.body.classList.add("roster-open") });
    fill(part("topbar"), h("h1", null, room.title === room.roomId ? "GroupX" : room.title),
      this.connection.pill, h("span", { class: "spacer" }), this.menu,
      h("button", { class: "quiet", type: "button", onclick: switchLanguage }, t("language")));
  }

  // --- drawing ------------------------------------------------------------------------------

  changed(keys, agents) {
    for (const key of keys) this.dirty.add(key);
    this.agentsDirty ||= agents;
    if (this.scheduled) return;
    this.scheduled = true;
    const run = () => {
      if (this.scheduled) this.draw();
    };
    requestAnimationFrame(run);
    setTimeout(run, HIDDEN_FRAME_MS); // a hidden tab has no frames
  }

  draw() {
    this.scheduled = false;
    if (this.agentsDirty) this.drawAgents();
    if (!this.dirty.size) return;
    const keys = this.dirty;
    this.dirty = new Set();
    const arrived = this.timeline.draw(keys);
    this.showEmpty();
    if (!this.history.loading) this.scroller.arrived(arrived);
    if (document.hidden) this.countUnseen(arrived);
  }

  /** An unexpectedly empty room is usually another file: say which one this is. */
  noteDatabase({ path, siblings = [] }) {
    fill(this.databaseNote, h("p", null, t("room.database", { path })),
      siblings.length ? h("p", null, t("room.siblings", { paths: siblings.join(", ") })) : null);
  }

  showEmpty() {
    this.empty.hidden = this.state.entries.order.length > 0;
  }

  drawAgents() {
    this.agentsDirty = false;
    this.roster.draw();
    this.panel.agentsChanged();
    this.composer?.rosterChanged();
    if (this.menu) this.menu.textContent = t("agents.count", { n: this.state.agents.size });
  }

  countUnseen(count) {
    this.unseen += count;
    document.title = this.unseen ? `(${this.unseen}) GroupX` : "GroupX";
  }

  complain(error) {
    fill(this.toast, h("span", null, error.message),
      h("button", { class: "quiet", type: "button", onclick: () => say(this.toast, "") }, t("close")));
    this.toast.hidden = false;
  }

  // --- following ----------------------------------------------------------------------------

  follow() {
    this.stream?.close();
    this.stream = new RoomStream({
      roomId: this.state.room.roomId,
      cursor: () => this.state.seq,
      onState: (now) => this.connection.show(now, () => this.stream.retryNow()),
      onSubscribed: (answer, first) => this.subscribed(answer, first),
      onEvent: (sent) => this.received(this.state.opened(sent)),
    });
    this.stream.open();
  }

  subscribed(answer, first) {
    this.state.subscribed(answer);
    if (first) return;
    this.lost = { interrupted: 0, unknown: 0, until: answer.throughSeq };
    if (this.state.seq >= answer.throughSeq) this.sayReconnected();
  }

  again() {
    this.timeline.clear();
    this.stream.close();
    this.start();
  }

  /** What is said goes into the active room, so that is the one to show. */
  leaveFor(active) {
    if (active.roomId === this.state.room.roomId) return false;
    this.again();
    return true;
  }

  received(event) {
    if (event.type === "stream.reset") {
      this.again();
      return;
    }
    if (event.type === "room.changed") {
      get("/api/bootstrap").then((now) => {
        this.pending.show(now);
        this.leaveFor(now.room);
      }, () => {});
      return;
    }
    if (this.lost && event.type === "turn.interrupted") {
      this.lost.interrupted += 1;
      this.lost.unknown += event.body.deliveryCertainty === "unknown" ? 1 : 0;
    }
    this.state.apply(event);
    this.panel.eventArrived(event);
    if (this.lost && event.seq !== null && event.seq >= this.lost.until) this.sayReconnected();
  }

  /** After a gap: what happened meanwhile, in one line. */
  async sayReconnected() {
    const { interrupted, unknown } = this.lost;
    this.lost = null;
    const now = await get("/api/bootstrap").catch(() => null);
    if (now && this.leaveFor(now.room)) return;
    const startedAt = now?.runtime.startedAt ?? this.state.runtime.startedAt;
    const restarted = startedAt !== this.state.runtime.startedAt;
    this.state.runtime.startedAt = startedAt;
    const line = restarted ? t("notice.restarted", { time: clockTime(startedAt) })
      : t("notice.reconnected", { time: clockTime(new Date().toISOString()) });
    const counts = interrupted ? ` ${t("notice.interrupted", { n: interrupted, unknown })}` : "";
    this.state.notice(line + counts);
  }

  // --- permalinks ---------------------------------------------------------------------------

  goTo(eventId) {
    const target = document.getElementById(eventId);
    if (!target?.classList.contains("item")) return;
    this.scroller.stuck = false;
    target.scrollIntoView({ block: "center" });
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), FLASH_MS);
  }
}

const page = new Page();
startClock();
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    page.unseen = 0;
    page.countUnseen(0);
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.body.classList.remove("roster-open");
});
page.start();
