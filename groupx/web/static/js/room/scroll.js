// Where the reader is: at the bottom and kept there, or reading and left alone.

import { h } from "../base/dom.js";
import { t } from "../words/index.js";

const NEAR_BOTTOM = 80;
const NEAR_PAGE = 600;
const FAR = 1.5; // windows away from the newest

export class Scroller {
  /** `onNear("older" | "newer")`: the reader comes near the beginning or the end of what is loaded;
   * `hasNewer()`: whether the newest is not loaded; `onNewest()`: then load it. */
  constructor(element, content, { onNear, hasNewer, onNewest }) {
    this.element = element;
    this.content = content;
    this.hasNewer = hasNewer;
    this.onNewest = onNewest;
    this.stuck = true;
    this.unread = 0;
    this.button = h("button", { class: "jump", type: "button", hidden: true,
      onclick: () => this.toBottom() });
    element.after(this.button);
    element.addEventListener("scroll", () => {
      this.stuck = !hasNewer() && this.distance() < NEAR_BOTTOM;
      if (this.stuck) this.seen();
      else if (!this.unread) this.offerWayBack();
      for (const way of ["older", "newer"]) if (this.isNear(way, NEAR_PAGE)) onNear(way);
    }, { passive: true });
    content.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("summary, [aria-expanded]")) this.opening();
    });
    new ResizeObserver(() => {
      if (this.stuck) this.pin();
    }).observe(content);
    new ResizeObserver(() => {
      if (this.stuck) this.pin();
    }).observe(element);
  }

  distance() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight;
  }

  /** Whether the reader is within `distance` px of this end of what is loaded. */
  isNear(way, distance) {
    return (way === "older" ? this.element.scrollTop : this.distance()) < distance;
  }

  /** The end of what is loaded from which the reader is further away. @returns {"older" | "newer"} */
  get farEnd() {
    return this.stuck || this.distance() < this.element.scrollTop ? "older" : "newer";
  }

  /** What the reader opens is read from where it begins: its growth pulls nobody to the end. */
  opening() {
    const wasStuck = this.stuck;
    this.stuck = false;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      this.stuck = wasStuck && this.distance() < NEAR_BOTTOM;
    }));
  }

  pin() {
    this.element.scrollTop = this.element.scrollHeight;
  }

  /** To the newest, loaded or not. */
  toBottom() {
    if (this.hasNewer()) {
      this.onNewest();
      return;
    }
    this.stuck = true;
    this.pin();
    this.seen();
  }

  /** Who is far from the newest gets back there by one click. */
  offerWayBack() {
    this.button.textContent = `${t("jump.newest")} ↓`;
    this.button.hidden = !this.hasNewer() && this.distance() < FAR * this.element.clientHeight;
  }

  /** What is read now stands somewhere else. */
  leaveEnd() {
    this.stuck = false;
    this.offerWayBack();
  }

  seen() {
    this.unread = 0;
    this.button.hidden = true;
  }

  /** So many new ones stand at the end; who is there is kept there by the observers. */
  arrived(count) {
    if (this.stuck || !count) return;
    this.unread += count;
    this.button.textContent = `${t("new", { n: this.unread })} ↓`;
    this.button.hidden = false;
  }

  /** Run `change`, which adds or removes what is out of sight, and leave what is read where it is on the screen. */
  keepPlace(change) {
    const top = this.element.getBoundingClientRect().top;
    const anchor = this.firstBelow(top);
    const before = anchor?.getBoundingClientRect().top;
    change();
    if (anchor?.isConnected) {
      this.element.scrollTop += anchor.getBoundingClientRect().top - before;
    }
  }

  /** The first element that reaches below this height of the window. */
  firstBelow(top) {
    const { children } = this.content;
    let low = 0;
    let high = children.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (children[middle].getBoundingClientRect().bottom > top) high = middle;
      else low = middle + 1;
    }
    return children[low];
  }
}
