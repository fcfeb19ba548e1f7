// The one panel beside the room: a turn, an agent, the memory, the assistant. Its address opens it.

import { isComposed } from "../base/composing.js";
import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";

/**
 * A view: `{ title(args), draw(body, args), agentsChanged?(), eventArrived?(event), closed?() }`.
 * `draw` fills the body, and may be a promise; its refusal is shown in the panel.
 */
export class Panel {
  constructor(root, onClose) {
    this.root = root;
    this.views = new Map();
    this.current = null;
    /** @type {any} what had the focus before */
    this.before = null;
    this.heading = h("h2", { id: "panel-title", tabindex: "-1" });
    this.body = h("div", { class: "panel-body" });
    root.setAttribute("aria-labelledby", this.heading.id);
    fill(root, h("div", { class: "panel-head" }, this.heading,
      h("button", { class: "quiet", type: "button", onclick: onClose }, t("close"))), this.body);
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || isComposed(event) || event.defaultPrevented) return;
      event.preventDefault();
      onClose();
    });
  }

  /** Whether it stands beside the timeline and hides nothing of it (css/panel.css). */
  get isColumn() {
    return getComputedStyle(this.root).position !== "fixed";
  }

  /** `name` is the first part of the address that opens the view. */
  add(name, view) {
    this.views.set(name, view);
  }

  /** Whether there is such a view. A route that is null, or of nobody, closes the panel. */
  show(route) {
    const view = route && this.views.get(route.name);
    this.current?.closed?.();
    this.current = view ?? null;
    this.root.hidden = !view;
    document.body.classList.toggle("panel-open", Boolean(view));
    if (!view) {
      this.returnFocus();
      return false;
    }
    if (!this.root.contains(document.activeElement)) this.before = document.activeElement;
    this.heading.textContent = view.title(route.args);
    this.heading.focus();
    fill(this.body, h("p", { class: "note" }, t("panel.loading")));
    this.body.scrollTop = 0;
    this.draw(view, route.args);
    return true;
  }

  async draw(view, args) {
    try {
      await view.draw(this.body, args);
    } catch (error) {
      if (this.current === view) fill(this.body, h("p", { class: "note", role: "alert" }, error.message));
    }
  }

  returnFocus() {
    if (this.before?.isConnected) this.before.focus();
    this.before = null;
  }

  agentsChanged() {
    this.current?.agentsChanged?.();
  }

  eventArrived(event) {
    this.current?.eventArrived?.(event);
  }
}
