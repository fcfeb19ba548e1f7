// Who watches the work that the next message asks for.

import { isComposed } from "../base/composing.js";
import { fill, h, redrawn } from "../base/dom.js";
import { t } from "../words/index.js";

const MODE = "live_steer"; // observers may step in; there is no other way to watch

export class Observers {
  constructor(state) {
    this.state = state;
    this.picked = new Set();
    this.label = h("summary", null);
    this.list = h("div", { class: "watch-list" });
    this.element = h("details", { class: "watch", hidden: true }, this.label, this.list);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || isComposed(event) || !this.element.open) return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
      this.label.focus();
    });
    this.element.addEventListener("toggle", () => this.toggled());
    /** Ends with the opened list. @type {AbortController | null} */
    this.opening = null;
  }

  /** While the list is open, a press beside it closes it. */
  toggled() {
    this.opening?.abort();
    this.opening = null;
    if (!this.element.open || !this.element.isConnected) return;
    this.opening = new AbortController();
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !this.element.contains(target)) this.close();
    }, { signal: this.opening.signal });
  }

  close() {
    this.element.open = false;
    this.toggled();
  }

  /** What goes with a message; null when nobody watches. */
  get supervision() {
    return this.picked.size ? { observers: [...this.picked], mode: MODE } : null;
  }

  /** `targets`: who works; they cannot watch themselves. */
  update(targets) {
    const everyone = targets.includes("@all");
    const able = this.state.addressable().filter((agent) => !everyone &&
      !targets.includes(agent.actorId));
    for (const actorId of this.picked) {
      if (!able.some((agent) => agent.actorId === actorId)) this.picked.delete(actorId);
    }
    this.element.hidden = !able.length || !targets.length;
    const names = [...this.picked].map((actorId) => this.state.agentName(actorId));
    this.label.textContent = names.length ? t("watch.by", { names: names.join(", ") }) : t("watch.nobody");
    this.element.classList.toggle("on", names.length > 0);
    const shows = [able.map(({ actorId, name }) => [actorId, name]), [...this.picked], targets];
    redrawn(this.list, shows, () => fill(this.list, h("p", { class: "note" }, t("watch.hint")),
      able.map((agent) => this.choice(agent, targets))));
  }

  choice({ actorId, name }, targets) {
    const box = h("input", { type: "checkbox", checked: this.picked.has(actorId), "data-key": actorId,
      onchange: () => {
        if (!this.picked.delete(actorId)) this.picked.add(actorId);
        this.update(targets);
      } });
    return h("label", { class: "check" }, box, name);
  }
}
