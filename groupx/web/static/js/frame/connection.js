// The truth about the connection, in the top bar and, when it is lost or leads elsewhere, above the
// timeline.

import { get } from "../transport/api.js";
import { h, fill } from "../base/dom.js";
import { holdElapsed } from "../base/time.js";
import { t } from "../words/index.js";

const reload = () => location.reload();

export class Connection {
  constructor() {
    this.pill = h("span", { class: "pill", role: "status" });
    this.lost = h("div", { class: "banner", role: "status", hidden: true });
    this.other = h("div", { class: "banner", role: "status", hidden: true });
    this.banner = h("div", null, this.lost, this.other);
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
    /** @type {string | null} which config's room answers here */
    this.scopeKey = null;
    this.version = "";
    this.databaseId = "";
    this.why = h("span", null);
    this.show({ state: "connecting" });
  }

  /** What this page was loaded from. @param {any} bootstrap */
  loaded({ runtime, database }) {
    this.version ||= runtime.version;
    this.databaseId = database.databaseId;
    if (this.scopeKey === null) get("/api/health").then((now) => (this.scopeKey = now.runtimeScopeKey), () => {});
  }

  /** Whether it is still the same program and the same file. @param {any} bootstrap */
  compare({ runtime, database }) {
    if (database.databaseId !== this.databaseId) this.say(t("connection.otherDatabase", { path: database.path }));
    else if (runtime.version !== this.version) this.say(t("connection.updated", { version: runtime.version }));
  }

  say(words) {
    fill(this.other, h("span", null, words),
      h("button", { class: "quiet", type: "button", onclick: reload }, t("connection.reload")));
    this.other.hidden = false;
  }

  /** @param {{ state: string, retryAt?: number }} now @param {() => void} [retryNow] */
  show({ state, retryAt = 0 }, retryNow) {
    clearInterval(this.ticking);
    const isLost = state === "waiting" || (state === "connecting" && !this.lost.hidden);
    this.pill.dataset.state = state;
    fill(this.pill, h("span", { class: "dot", "aria-hidden": "true" }), t(`connection.${isLost ? "lost" : state}`));
    this.lost.hidden = !isLost;
    holdElapsed(isLost);
    document.body.classList.toggle("lost", isLost);
    if (state === "waiting") this.wait(retryAt, retryNow);
  }

  /** Why, and when the next try is. */
  wait(retryAt, retryNow) {
    const next = h("span", { class: "next-try", "aria-live": "off" });
    const draw = () => {
      next.textContent = t("connection.next", { n: Math.max(0, Math.ceil((retryAt - Date.now()) / 1000)) });
    };
    draw();
    this.ticking = setInterval(draw, 1000);
    fill(this.lost, h("span", null, this.why, " ", next),
      h("button", { class: "quiet", type: "button", onclick: retryNow }, t("connection.retry")));
    this.look();
  }

  /** A socket says nothing of why it was refused; the open question who listens here does. */
  async look() {
    const words = await reason(this.scopeKey);
    if (this.why.textContent !== words) this.why.textContent = words;
  }
}

async function reason(scopeKey) {
  let now;
  try {
    now = await get("/api/health");
  } catch (error) {
    return t(error.status ? "connection.closing" : "connection.stopped");
  }
  if (scopeKey && now.runtimeScopeKey !== scopeKey) return t("connection.otherRoom");
  if (now.status === "upgrading" && now.progress) return t("connection.upgrading", now.progress);
  if (now.status !== "ready") return t("connection.starting");
  return isLoggedIn().then((loggedIn) => t(loggedIn ? "connection.cut" : "connection.unauthorized"));
}

/** Whether this browser's login still counts. */
function isLoggedIn() {
  return get("/api/history", { limit: 1 }).then(() => true, (error) => error.status !== 401);
}
