// More of the room, a page at a time: older ones near the top, newer ones near the end where the
// newest are not loaded, and the page around a message that is somewhere else.

import { get } from "../transport/api.js";
import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";

const PAGE = 100;
const NEAR = 200;

/** From where each way goes on (null: it has come to the end), and what becomes of its page. */
const WAYS = {
  older: { place: (state) => state.previous, take: (state, page) => state.prepend(page) },
  newer: { place: (state) => state.next, take: (state, page) => state.append(page) },
};

export class History {
  /** `scroller()`: where the reader is; `draw()`: draw what has changed, now. */
  constructor(state, scroller, draw) {
    this.state = state;
    this.scroller = scroller;
    this.draw = draw;
    this.lines = { older: h("div", { class: "older" }), newer: h("div", { class: "newer" }) };
    /** @type {Promise<void> | null} the page that is under way */
    this.loading = null;
    /** @type {string | null} the way whose page could not be loaded */
    this.failed = null;
    this.isDrawing = false;
  }

  /** One more page this way, unless one is under way; and another while the reader is still near. */
  async more(way) {
    if (this.loading || this.failed || !WAYS[way].place(this.state)) return;
    this.loading = this.fetch(way).catch(() => {
      this.failed = way;
    }).finally(() => {
      this.loading = null;
      this.show();
    });
    this.show(way);
    await this.loading;
    if (this.scroller().isNear(way, NEAR)) this.more(way);
  }

  async fetch(way) {
    const { place, take } = WAYS[way];
    const asked = JSON.stringify([this.state.room.roomId, place(this.state)]);
    const page = await this.page({ ...place(this.state), limit: PAGE });
    if (asked !== JSON.stringify([this.state.room.roomId, place(this.state)])) return;
    this.scroller().keepPlace(() => this.change(() => take(this.state, page)));
  }

  /** However much comes while nobody looks, only a part is kept: that around the reader. */
  trim() {
    if (this.isDrawing || !this.state.isTooMuch) return;
    const scroller = this.scroller();
    const end = scroller.farEnd;
    scroller.keepPlace(() => this.change(() => this.state.trim(end)));
    this.show();
  }

  page(query) {
    return get("/api/history", { ...query, render: "html", roomId: this.state.room.roomId });
  }

  /** Load the page with this event, unless it is loaded. Refuses with NOT_FOUND. */
  async reach(eventId) {
    if (this.state.entryOf(eventId)) return;
    const { roomId } = this.state.room;
    const page = await this.page({ around: eventId, limit: PAGE });
    if (this.state.room.roomId !== roomId) return;
    this.scroller().leaveEnd();
    this.failed = null;
    this.change(() => this.state.goTo(page));
    this.show();
  }

  /** What a page brings is not news. */
  change(take) {
    this.isDrawing = true;
    take();
    this.draw();
    this.isDrawing = false;
  }

  /** Say what is loaded (`way`: right now), what could not be, and where the room begins. */
  show(way) {
    const { previous, entries } = this.state;
    const words = {
      older: previous || !entries.order.length ? "" : t("older.end"),
      newer: "",
    };
    for (const each of Object.keys(WAYS)) {
      if (this.failed === each) fill(this.lines[each], t(`${each}.failed`), this.retry(each));
      else fill(this.lines[each], way === each ? t(`${each}.loading`) : words[each]);
    }
  }

  retry(way) {
    return h("button", { class: "quiet", type: "button", onclick: () => {
      this.failed = null;
      this.more(way);
    } }, t("load.retry"));
  }
}
