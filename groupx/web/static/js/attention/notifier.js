// Notifications, for who asked for them: loud for a turn that failed or is stuck, quiet for one
// that is done, none while the room is looked at.

import { h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { reason } from "../base/reasons.js";
import { t } from "../words/index.js";
import { Tabs } from "./tabs.js";
import { TurnWatch } from "./watch.js";

const KEY = "groupx.notify";
const LOOK_MS = 30_000;

export class Notifier {
  constructor() {
    this.tabs = new Tabs();
    this.watch = new TurnWatch();
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
    this.box = h("input", { type: "checkbox", onchange: () => this.choose() });
    this.note = h("p", { class: "note", role: "status", hidden: true });
    this.element = h("div", { class: "attention", hidden: !("Notification" in globalThis) },
      h("label", null, this.box, h("span", null, t("attention.notify"))), this.note);
    this.draw();
  }

  get isOn() {
    return localStorage.getItem(KEY) === "on" && Notification.permission === "granted";
  }

  /** The browser is asked only when the user asks for it. */
  async choose() {
    if (this.box.checked && Notification.permission === "default") await Notification.requestPermission();
    localStorage.setItem(KEY, this.box.checked ? "on" : "off");
    this.draw(this.box.checked);
  }

  draw(wanted = false) {
    const isOn = "Notification" in globalThis && this.isOn;
    this.box.checked = isOn;
    this.note.hidden = !wanted || isOn;
    this.note.textContent = this.note.hidden ? "" : t("attention.denied");
  }

  /** An event of the room. @param {any} event @param {import("../store/state.js").RoomState} state */
  heard(event, state) {
    this.state = state;
    this.ticking ??= setInterval(() => this.look(), LOOK_MS);
    const found = this.watch.heard(event);
    if (found) this.say(found.kind, found.turnId);
  }

  look() {
    for (const turnId of this.watch.stuck()) this.say("stuck", turnId);
  }

  async say(kind, turnId) {
    if (!("Notification" in globalThis) || !this.isOn || !(await this.tabs.mayNotify())) return;
    const turn = this.state.turns.byId.get(turnId);
    const name = this.state.agentName(turn?.target ?? "");
    const shown = new Notification(t(`attention.${kind}`, { name }), {
      body: reason(turn?.errorCode, turn?.message), tag: `groupx:${turnId}`, silent: kind === "done", icon: "/static/icon.svg",
    });
    shown.onclick = () => {
      window.focus();
      location.hash = routeHash("turn", turnId);
      shown.close();
    };
  }
}
