// Through the timeline by keyboard: one entry has the focus, and what is in it can be pressed.

export class Mover {
  /** @param {HTMLElement} timeline @param {HTMLElement} scroller */
  constructor(timeline, scroller) {
    this.timeline = timeline;
    this.scroller = scroller;
  }

  /** @returns {HTMLElement[]} */
  get entries() {
    return [...this.timeline.querySelectorAll(":scope > .item:not([hidden])")].filter((item) => item instanceof HTMLElement);
  }

  /** The entry that has the focus, or holds what has it. */
  get current() {
    const item = document.activeElement?.closest(".item");
    return item instanceof HTMLElement && this.timeline.contains(item) ? item : null;
  }

  /** To the entry after (1) or before (-1) the one with the focus; else to the last one in sight. */
  move(step) {
    const { entries, current } = this;
    const next = current ? entries[entries.indexOf(current) + step] : this.lastInSight(entries);
    if (next) this.focus(next);
  }

  first() {
    const [first] = this.entries;
    this.scroller.scrollTop = 0;
    if (first) this.focus(first);
  }

  lastInSight(entries) {
    const { bottom } = this.scroller.getBoundingClientRect();
    return entries.findLast((item) => item.getBoundingClientRect().top < bottom) ?? null;
  }

  focus(item) {
    item.tabIndex = -1;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  /** Press what this selector finds in the entry with the focus. */
  press(selector) {
    const found = this.current?.querySelector(selector);
    if (found instanceof HTMLElement) found.click();
  }
}
