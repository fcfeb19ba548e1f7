// Older messages, a page at a time, when the reader comes near the top.

import { get } from "../transport/api.js";
import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";

const PAGE = 100;

export class History {
  constructor(state, scroller, draw) {
    this.state = state;
    this.scroller = scroller;
    this.draw = draw;
    this.element = h("div", { class: "older" });
    this.loading = false;
    this.failed = false;
  }

  async more() {
    if (this.loading || this.failed || !this.state.previous) return;
    this.loading = true;
    this.show();
    try {
      const page = await get("/api/history", {
        beforeSeq: this.state.previous.beforeSeq, limit: PAGE, render: "html",
      });
      this.scroller().keepPlace(() => {
        this.state.prepend(page);
        this.draw();
      });
    } catch {
      this.failed = true;
    } finally {
      this.loading = false;
      this.show();
    }
    if (this.scroller().element.scrollTop < 200) this.more();
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
