// What stands in a room in which nothing was said. An unexpectedly empty one is usually another
// file: say which one this is.

import { fill, h } from "../base/dom.js";
import { t } from "../words/index.js";

export class EmptyRoom {
  constructor() {
    this.database = h("div", { class: "note" });
    this.element = h("div", { class: "empty", hidden: true }, h("p", null, t("room.empty")),
      h("p", { class: "note" }, t("room.emptyHint")), this.database);
  }

  loaded({ path, siblings = [] }) {
    fill(this.database, h("p", null, t("room.database", { path })),
      siblings.length ? h("p", null, t("room.siblings", { paths: siblings.join(", ") })) : null);
  }

  show(entries) {
    this.element.hidden = entries.order.length > 0;
  }
}
