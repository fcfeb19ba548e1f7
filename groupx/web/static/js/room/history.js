// Older messages, a page at a time, when the reader comes near the top.

import { get } from "../transport/api.js";
import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";

const PAGE = 100;
const LONGEST_PAGE = 200;
const NEAR_TOP = 200;

export class History {
  constructor(state, scroller, draw) {
    this.state = state;
    this.scroller = scroller;
    this.draw = draw;
    this.element = h("div", { class: "older" });
    /** @type {Promise<void> | null} the page that is under way */
    this.loading = null;
    this.failed = false;
  }

  /** One more page, unless one is under way; and another while the reader is still near the top. */
  async more() {
    if (this.loading) return;
    await this.load(PAGE);
    if (this.state.previous && this.scroller().element.scrollTop < NEAR_TOP) this.more();
  }

  /** Load pages until the one with this event is there, or there is no older one. */
  async reach(eventId) {
    while (!this.state.entryOf(eventId) && this.state.previous && !this.failed) {
      await (this.loading ?? this.load(LONGEST_PAGE));
    }
  }

  load(limit) {
    if (this.failed || !this.state.previous) return Promise.resolve();
    this.loading = this.fetch(limit).catch(() => {
      this.failed = true;
    }).finally(() => {
      this.loading = null;
      this.show();
    });
    this.show();
    return this.loading;
  }

  async fetch(limit) {
    const page = await get("/api/history", {
      beforeSeq: this.state.previous.beforeSeq, limit, render: "html", roomId: this.state.room.roomId,
    });
    this.scroller().keepPlace(() => {
      this.state.prepend(page);
      this.draw();
    });
  }

  show() {
    const { previous, entries } = this.state;
    if (this.failed) {
      fill(this.element, t("older.failed"), h("button", { class: "quiet", type: "button",
        onclick: () => {
          this.failed = false;
          this.more();
        } }, t("load.retry")));
    } else if (previous) {
      fill(this.element, this.loading ? t("older.loading") : "");
    } else {
      fill(this.element, entries.order.length ? t("older.end") : "");
    }
  }
}
