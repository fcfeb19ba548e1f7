// What arrived while nobody looked at this tab: a count in its title and a mark on its icon.

const ICON = "/static/icon.svg";
const MARKED = "/static/icon-unread.svg";

export class Unread {
  constructor() {
    this.count = 0;
    this.name = "GroupX";
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.seen();
    });
  }

  /** The room's name, for the title. */
  called(name) {
    this.name = name;
    this.show();
  }

  arrived(count) {
    if (!document.hidden || !count) return;
    this.count += count;
    this.show();
  }

  seen() {
    this.count = 0;
    this.show();
  }

  show() {
    document.title = this.count ? `(${this.count}) ${this.name}` : this.name;
    const icon = document.querySelector("link[rel=icon]");
    const wanted = this.count ? MARKED : ICON;
    if (icon?.getAttribute("href") !== wanted) icon?.setAttribute("href", wanted);
  }
}
