// The page: one room, the active or an older one, loaded, drawn and followed.

import { addPanels } from "../panels/index.js";
import { Composer } from "../composer/composer.js";
import { Connection } from "./connection.js";
import { EmptyRoom } from "../room/empty.js";
import { EntryFinder } from "./entry_finder.js";
import { Follower } from "./follower.js";
import { History } from "../room/history.js";
import { Loader } from "./loader.js";
import { openWizard } from "../setup/view.js";
import { Painter } from "./painter.js";
import { Panel } from "./panel.js";
import { PendingLine } from "../setup/pending.js";
import { ReadMark } from "../room/read_mark.js";
import { readingBar } from "../room/reading.js";
import { RoomState } from "../store/state.js";
import { besideHash, entryHash, Router, routeHash, standsBeside } from "./router.js";
import { Scroller } from "../room/scroll.js";
import { Sidebar } from "../sidebar/sidebar.js";
import { Timeline } from "../room/timeline.js";
import { tellOfStart } from "./start_notices.js";
import { Toast } from "./toast.js";
import { Topbar, roomName } from "./topbar.js";
import { nowIso } from "../base/clock.js";
import { fill } from "../base/dom.js";

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
      onStale: () => this.start(),
    });
    this.loader = new Loader({
      toast: this.toast,
      onLoading: () => this.topbar.loading(),
      onLoaded: (bootstrap) => this.show(bootstrap),
      onSetup: openWizard,
      onGone: (roomId) => this.gone(roomId),
      onFailed: () => this.showTopbar(),
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
      writeTo: (actorId) => this.composer?.writeTo(actorId),
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
    this.finder = new EntryFinder({
      frame: part("scroller"),
      reach: (eventId) => this.history.reach(eventId),
      reveal: (eventId) => this.timeline.reveal(eventId),
      say: (words) => this.toast.showHere(words),
      onFound: () => {
        this.scroller.stuck = false;
      },
      onElsewhere: (roomId, eventId) => this.goInto(roomId, eventId),
    });
    part("timeline").before(this.history.lines.older);
    part("timeline").after(this.history.lines.newer, this.empty.element);
    fill(part("notices"), this.connection.banner, this.pending.element, this.toast.element);
  }

  // --- loading ------------------------------------------------------------------------------

  /** Load the room that the address names; what is shown is followed until that one is there. */
  start() {
    return this.loader.load();
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
      if (this.writesIn !== room.roomId) {
        this.composer?.close();
        this.composer = new Composer(part("dock"), this.context);
      }
      this.writesIn = room.roomId;
      return;
    }
    this.composer?.close();
    this.composer = null;
    this.writesIn = null;
    const active = rooms.find((other) => other.active);
    fill(part("dock"), readingBar(room, active.roomId));
  }

  showTopbar() {
    if (this.state.room) this.topbar.show(this.state.room);
    else this.topbar.failed();
  }

  /** A room that was asked for is not there; perhaps the one that is shown was deleted. */
  gone(roomId) {
    if (roomId === this.state.room?.roomId) this.follower.close();
    this.showTopbar();
  }

  /** Whether another room is to be shown by now: what is said goes there, or it could not be loaded before. */
  isElsewhere(now) {
    this.pending.show(now);
    this.state.takeRoster(now.agents);
    this.connection.compare(now);
    this.sidebar.loaded(now);
    const isReading = this.state.room.active === false;
    if (!this.loader.hasFailed && (isReading || now.room.roomId === this.state.room.roomId)) return false;
    this.start();
    return true;
  }

  /** From a page far back to the newest, which is loaded anew. */
  newest() {
    this.router.leaveEntry();
    this.start();
  }

  // --- addresses ----------------------------------------------------------------------------

  went(route) {
    const { room } = this.state;
    if (!room || (route?.roomId && route.roomId !== room.roomId)) {
      this.start();
      return;
    }
    if (route?.name === "room") this.wentIntoRoom(route.args[1]);
    else this.wentBeside(route);
  }

  /** The room that is shown is named by the address; `eventId`: one of its entries. */
  wentIntoRoom(eventId) {
    this.panel.show(null);
    if (eventId) this.goTo(eventId);
    else if (this.state.room.active) this.router.rename("");
  }

  /** A view beside the room that is shown, or none. One beside an older room is named so that a reload comes
   * back to both. */
  wentBeside(route) {
    const { room } = this.state;
    if (route && !room.active && !route.roomId && standsBeside(route)) this.router.rename(besideHash(room.roomId, route));
    if (route?.roomId && room.active) this.router.rename(routeHash(route.name, ...route.args));
    this.panel.show(route);
    if (!route && !location.hash && !room.active) this.start();
  }

  /** Show an entry, after loading the page around it; perhaps it is of another room. */
  goTo(eventId) {
    return this.finder.goTo(eventId, this.state.room.roomId);
  }

  /** Show an entry of another room. */
  goInto(roomId, eventId) {
    const active = this.state.rooms.find((room) => room.active);
    this.router.rename(entryHash({ roomId, active: roomId === active?.roomId }, eventId));
    this.start();
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
    this.history.trim();
  }

  paintAgents() {
    this.sidebar.draw();
    this.panel.agentsChanged();
    this.composer?.rosterChanged();
  }
}
