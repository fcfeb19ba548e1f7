// The foot of the sidebar: files of the room, how the page looks, and which room this is.

import { post } from "../transport/api.js";
import { fill, h, say } from "../base/dom.js";
import { ThemeChoice } from "../frame/theme.js";
import { switchLanguage, t } from "../words/index.js";
import { actionButton } from "../view/actions.js";

const FORMATS = ["markdown", "html", "jsonl"];

export class Foot {
  /** @param {{ onHelp: () => void, attention: HTMLElement }} parts */
  constructor({ onHelp, attention }) {
    this.result = h("p", { class: "note", role: "status", hidden: true });
    this.exports = h("span", { class: "exports" });
    this.facts = h("p", { class: "which" });
    this.backup = actionButton(t("files.backup"), () => this.makeBackup(), { kind: "button",
      title: t("files.backup.hint"), onError: (error) => say(this.result, error.message) });
    const page = h("div", { class: "page-choices" }, new ThemeChoice().element,
      h("button", { class: "quiet", type: "button", onclick: switchLanguage }, t("language")),
      h("button", { class: "quiet", type: "button", onclick: onHelp, "aria-keyshortcuts": "?" }, t("keys.open")));
    this.element = h("footer", { class: "foot" },
      h("details", { class: "files" }, h("summary", null, t("files.title")),
        h("div", { class: "buttons" }, this.exports, this.backup), this.result),
      attention, page, this.facts);
  }

  async makeBackup() {
    say(this.result, t("files.backup.making"));
    const made = await post("/api/backup");
    say(this.result, t("files.backup.made", { path: made.path, size: size(made.bytes) }));
  }

  /** @param {any} bootstrap */
  show({ room, database, runtime }) {
    fill(this.exports, FORMATS.map((format) => h("a", { class: "button", href: exportPath(format, room),
      download: true }, t(`files.${format}`))));
    fill(this.facts, h("span", null, t("which.version", { version: runtime.version })), " · ",
      h("span", { class: "path", title: database.path }, database.path));
  }
}

/** JSONL is the whole database; the others are the room that is shown. */
function exportPath(format, room) {
  const query = new URLSearchParams({ format });
  if (format !== "jsonl") query.set("room", room.roomId);
  return `/api/export?${query}`;
}

function size(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
