// Where the reader is: at the bottom and kept there, or reading and left alone.

import { h } from "../base/dom.js";
import { t } from "../words/index.js";

const NEAR_BOTTOM = 80;
const NEAR_TOP = 600;
const FAR = 1.5; // windows away from the newest

export class Scroller {
  /** `onTop` is called when the reader comes near the beginning of what is loaded. */
  constructor(element, content, onTop) {
    this.element = element;
    this.content = content;
    this.stuck = true;
    this.unread = 0;
    this.button = h("button", { class: "jump", type: "button", hidden: true,
      onclick: () => this.toBottom() });
    element.after(this.button);
    element.addEventListener("scroll", () => {
      this.stuck = this.distance() < NEAR_BOTTOM;
      if (this.stuck) this.seen();
      else if (!this.unread) this.offerWayBack();
      if (element.scrollTop < NEAR_TOP) onTop();
    }, { passive: true });
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

  pin() {
    this.element.scrollTop = this.element.scrollHeight;
  }

  toBottom() {
    this.stuck = true;
    this.pin();
    this.seen();
  }

  /** Who is far from the newest gets back there by one click. */
  offerWayBack() {
    this.button.textContent = `${t("jump.newest")} ↓`;
    this.button.hidden = this.distance() < FAR * this.element.clientHeight;
  }

  seen() {
    this.unread = 0;
    this.button.hidden = true;
  }

  /** Something new stands at the end. */
  arrived(count) {
    if (this.stuck) {
      this.pin();
    } else if (count) {
      this.unread += count;
      this.button.textContent = `${t("new", { n: this.unread })} ↓`;
      this.button.hidden = false;
    }
  }

  /** Run `change`, which adds above, and leave what is read where it is on the screen. */
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
