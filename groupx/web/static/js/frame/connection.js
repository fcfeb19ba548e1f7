// The truth about the connection, in the top bar and, when it is lost, above the timeline.

import { get } from "../transport/api.js";
import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";

export class Connection {
  constructor(banner) {
    this.pill = h("span", { class: "pill", role: "status" });
    this.banner = banner;
    this.ticking = null;
    this.show({ state: "connecting" });
  }

  /** @param {{ state: string, retryAt?: number }} now @param {() => void} [retryNow] */
  show({ state, retryAt = 0 }, retryNow) {
    clearInterval(this.ticking);
    this.pill.dataset.state = state;
    const pill = state === "waiting" ? t("connection.connecting") : t(`connection.${state}`);
    fill(this.pill, h("span", { class: "dot", "aria-hidden": "true" }), pill);
    this.banner.hidden = state !== "waiting";
    if (state !== "waiting") return;
    const words = h("span", null);
    const draw = () => {
      const n = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
      words.textContent = t("connection.waiting", { n });
    };
    draw();
    this.ticking = setInterval(draw, 1000);
    fill(this.banner, words,
      h("button", { class: "quiet", type: "button", onclick: retryNow }, t("connection.retry")));
    this.checkLogin();
  }

  /** A socket says nothing of why it was refused; a read does. */
  async checkLogin() {
    try {
      await get("/api/history", { limit: 1 });
    } catch (error) {
      if (error.status === 401 && !this.banner.hidden) {
        clearInterval(this.ticking);
        fill(this.banner, t("connection.unauthorized"));
      }
    }
  }
}
