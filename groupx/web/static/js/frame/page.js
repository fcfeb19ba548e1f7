// The page: one room, the active or an older one, loaded, drawn and followed.

import { get } from "../transport/api.js";
import { addPanels } from "../panels/index.js";
import { Composer } from "../composer/composer.js";
import { Connection } from "./connection.js";
import { EmptyRoom } from "../room/empty.js";
import { Follower } from "./follower.js";
import { History } from "../room/history.js";
import { openWizard } from "../setup/view.js";
import { Painter } from "./painter.js";
import { Panel } from "./panel.js";
import { PendingLine } from "../setup/pending.js";
import { ReadMark } from "../room/read_mark.js";
import { readingBar } from "../room/reading.js";
import { RoomState } from "../store/state.js";
import { parseRoute, Router, routeHash } from "./router.js";
import { Scroller } from "../room/scroll.js";
import { Sidebar } from "../sidebar/sidebar.js";
import { Timeline } from "../room/timeline.js";
import { tellOfStart } from "./start_notices.js";
import { Toast } from "./toast.js";
import { Topbar, roomName } from "./topbar.js";
import { nowIso } from "../base/clock.js";
import { fill } from "../base/dom.js";
import { t } from "../words/index.js";

const FLASH_MS = 1600;
const AGAIN_MS = 1500;

const part = (id) => document.getElementById(id);

export class Page {
  /** @param {{ unread: import("../attention/unread.js").Unread, onSearch: () => void,
   * onEvent: (event: any) => void, onHelp: () => void, attention: HTMLElement }} parts */
  constructor({ unread, onSearch, onEvent, onHelp, attention }) {
    this.unread = unread;
    this.onEvent = onEvent;
    /** @type {Composer | null} */
    this.composer = null;
    this.writesIn = null;
    this.loading = 0;
    this.painter = new Painter((keys, agents) => this.paint(keys, agents));
    this.state = new RoomState((keys, agents) => this.painter.changed(keys, agents), {
      now: nowIso, newId: () => crypto.randomUUID(),
    });
    this.toast = new Toast();
    this.empty = new EmptyRoom();
    this.connection = new Connection();
    this.pending = new PendingLine();
    this.panel = new Panel(part("panel"), () => this.router.leave());
    addPanels(this.panel, this.state);
    this.router = new Router({
      onRoute: (route) => this.went(route),
      onEntry: (eventId) => this.goTo(eventId),
      staysBeside: () => this.panel.isColumn,
      home: () => this.state.room?.active === false ? routeHash("room", this.state.room.roomId) : "",
    });
    this.follower = new Follower({
      state: this.state, connection: this.connection,
      onEvent: (event) => this.heard(event),
      onBootstrap: (now) => this.isElsewhere(now),
      onStale: () => this.again(),
    });
    this.readMark = new ReadMark(this.state, () => this.scroller.stuck);
    this.context = this.contextOfViews();
    this.topbar = new Topbar(part("topbar"), { pill: this.connection.pill, onSearch });
    this.sidebar = new Sidebar(part("sidebar"), this.state, { onHelp, attention });
    this.buildRoom();
  }

  /** What the views of entries and the composer may ask of the page. */
  contextOfViews() {
    return {
      state: this.state,
      onError: (error) => this.toast.show(error.message),
      openTurn: (turnId) => {
        location.hash = routeHash("turn", turnId);
      },
      edit: (event) => this.composer?.edit(event),
      reply: (event) => this.composer?.reply(event),
      forward: (event) => this.composer?.forward(event),
      sentNow: () => this.scroller.toBottom(),
      readMark: this.readMark,
    };
  }

  buildRoom() {
    this.timeline = new Timeline(part("timeline"), this.context);
    this.history = new History(this.state, () => this.scroller, () => this.painter.now());
    this.scroller = new Scroller(part("scroller"), part("timeline"), {
      onNear: (way) => this.history.more(way),
      hasNewer: () => this.state.next !== null,
      onNewest: () => this.newest(),
    });
    part("timeline").before(this.history.lines.older);
    part("timeline").after(this.history.lines.newer, this.empty.element);
    fill(part("notices"), this.connection.banner, this.pending.element, this.toast.element);
  }

  // --- loading ------------------------------------------------------------------------------

  /** Load the room that the address names; the active one if it names none. */
  async start() {
    const route = parseRoute(location.hash);
    const roomId = route?.name === "room" ? route.args[0] : null;
    const attempt = ++this.loading;
    this.topbar.loading();
    let bootstrap;
    try {
      bootstrap = await get("/api/bootstrap", { render: "html", roomId });
    } catch (error) {
      if (attempt !== this.loading) return;
      if (error.details?.status === "setup") openWizard();
      else this.cannotLoad(error, roomId);
      return;
    }
    if (attempt === this.loading) this.show(bootstrap);
  }

  show(bootstrap) {
    this.timeline.clear();
    this.state.load(bootstrap);
    this.readMark.opened();
    this.pending.show(bootstrap);
    this.connection.loaded(bootstrap);
    this.empty.loaded(bootstrap.database);
    this.sidebar.loaded(bootstrap);
    this.unread.called(roomName(bootstrap.room));
    this.topbar.show(bootstrap.room);
    this.showDock(bootstrap);
    tellOfStart(bootstrap, this.state);
    this.painter.now();
    this.empty.show(this.state.entries);
    this.composer?.rosterChanged();
    this.scroller.toBottom();
    this.history.show();
    this.follower.open();
    this.router.follow();
  }

  /** The composer of the active room; an older one is only read. */
  showDock({ room, rooms }) {
    document.body.classList.toggle("reading", !room.active);
    if (room.active) {
      if (this.writesIn !== room.roomId) this.composer = new Composer(part("dock"), this.context);
      this.writesIn = room.roomId;
      return;
    }
    this.composer = null;
    this.writesIn = null;
    const active = rooms.find((other) => other.active);
    fill(part("dock"), readingBar(room, active.roomId));
  }

  cannotLoad(error, roomId) {
    this.topbar.failed();
    if (error.code === "NOT_FOUND" && roomId) {
      this.toast.show(t("rooms.gone"), t("rooms.back"), () => {
        history.replaceState(null, "", location.pathname);
        this.start();
      });
      return;
    }
    const words = error.status === 401 ? t("connection.unauthorized") : t("load.failed", { message: error.message });
    this.toast.show(words, t("load.retry"), () => this.start());
    if (error.code === "RUNTIME_STARTING") setTimeout(() => location.reload(), AGAIN_MS);
  }

  /** Load what the address names, in the place of what is shown. */
  again() {
    this.follower.close();
    this.start();
  }

  /** Whether what is said goes into another room or file by now: then that is the one to show. */
  isElsewhere(now) {
    this.pending.show(now);
    this.state.takeRoster(now.agents);
    this.connection.compare(now);
    this.sidebar.loaded(now);
    const isReading = this.state.room.active === false;
    if (isReading || now.room.roomId === this.state.room.roomId) return false;
    this.again();
    return true;
  }

  /** From a page far back to the newest, which is loaded anew. */
  newest() {
    this.router.leaveEntry();
    this.again();
  }

  // --- addresses ----------------------------------------------------------------------------

  went(route) {
    if (route?.name !== "room") {
      this.panel.show(route);
      if (!route && !location.hash && this.state.room?.active === false) this.again();
      return;
    }
    this.panel.show(null);
    const [roomId, eventId] = route.args;
    if (roomId !== this.state.room?.roomId) this.again();
    else if (eventId) this.goTo(eventId);
    else if (this.state.room.active) history.replaceState(null, "", location.pathname);
  }

  /** Show an entry, after loading the page around it. */
  async goTo(eventId) {
    if (!this.state.entryOf(eventId) && this.state.room?.active === false && !parseRoute(location.hash)) {
      this.again();
      return;
    }
    this.goal = eventId;
    try {
      await this.history.reach(eventId);
    } catch (error) {
      this.toast.show(error.code === "NOT_FOUND" ? t("goto.missing") : error.message);
      return;
    }
    if (this.goal !== eventId) return;
    const target = document.getElementById(eventId);
    if (!target?.classList.contains("item")) {
      this.toast.show(t("goto.missing"));
      return;
    }
    this.scroller.stuck = false;
    target.scrollIntoView({ block: "center" });
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), FLASH_MS);
  }

  // --- drawing ------------------------------------------------------------------------------

  heard(event) {
    this.panel.eventArrived(event);
    this.onEvent(event);
    if (this.state.next && event.type === "message.created") this.arrived(1);
  }

  arrived(count) {
    this.scroller.arrived(count);
    this.unread.arrived(count);
  }

  paint(keys, agents) {
    if (agents) this.paintAgents();
    if (!keys.size) return;
    const arrived = this.timeline.draw(keys);
    this.empty.show(this.state.entries);
    if (!this.history.isDrawing) this.arrived(arrived);
    if (this.scroller.stuck) this.state.trim();
  }

  paintAgents() {
    this.sidebar.draw();
    this.panel.agentsChanged();
    this.composer?.rosterChanged();
    this.topbar.countAgents(this.state.agents.size);
  }
}
