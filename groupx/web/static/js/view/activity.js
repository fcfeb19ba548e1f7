// Inside an agent's bubble, folded: its reasoning and its tools.

import { fill, h, redrawn } from "../base/dom.js";
import { t } from "../words/index.js";
import { GrowingText, textElement } from "./text.js";

const GROUP_FROM = 3;
const MAX_DETAIL_CHARACTERS = 4096;

/** Reasoning as one line; its text is made when it is opened. */
export class ReasoningView {
  constructor() {
    this.label = h("summary", null);
    this.text = new GrowingText();
    this.note = h("p", { class: "note" });
    this.element = h("details", { class: "fold reasoning", hidden: true },
      this.label, this.note, this.text.element);
    this.element.addEventListener("toggle", () => this.show());
    this.turn = null;
  }

  update(turn) {
    this.turn = turn;
    const present = turn.reasoningCharacters > 0 || turn.reasoning.length > 0;
    this.element.hidden = !present;
    if (!present) return;
    const count = turn.reasoningCharacters.toLocaleString();
    this.label.textContent = turn.ended ? t("reasoning") : t("reasoning.live", { n: count });
    this.show();
  }

  show() {
    if (!this.element.open || !this.turn) return;
    this.text.set(this.turn.reasoning);
    this.note.hidden = this.turn.reasoning.length > 0;
    this.note.textContent = this.turn.reasoning ? "" : t("reasoning.missing");
  }
}

/** One line per tool call; three or more are one row that opens. */
export class ToolsView {
  constructor() {
    this.element = h("div", { class: "tools", hidden: true });
    this.lines = new Map();
    this.list = h("div", { class: "tool-list" });
    this.label = h("summary", null);
    this.group = null;
  }

  update(turn) {
    this.element.hidden = turn.tools.size === 0;
    for (const [key, tool] of turn.tools) this.line(key).update(tool);
    for (const [key, line] of this.lines) {
      if (!turn.tools.has(key)) {
        line.element.remove();
        this.lines.delete(key);
      }
    }
    this.arrange([...turn.tools.values()]);
  }

  line(key) {
    let line = this.lines.get(key);
    if (!line) {
      line = new ToolLine();
      this.lines.set(key, line);
      this.list.append(line.element);
    }
    return line;
  }

  arrange(tools) {
    if (tools.length < GROUP_FROM) {
      if (this.list.parentNode !== this.element) fill(this.element, this.list);
      this.group = null;
      return;
    }
    if (!this.group) {
      this.group = h("details", { class: "fold" }, this.label);
      fill(this.element, this.group);
    }
    if (this.list.parentNode !== this.group) this.group.append(this.list);
    const failed = tools.filter((tool) => tool.status === "failed").length;
    const open = tools.findLast((tool) => !tool.done);
    redrawn(this.label, [tools.length, failed, open?.name], () => fill(this.label, t("tools.many", { n: tools.length }),
      failed ? h("span", { class: "tool-failed" }, t("tools.failed", { n: failed })) : null,
      open ? h("span", { class: "tool-now" }, open.name ?? "") : null));
  }
}

class ToolLine {
  constructor() {
    this.label = h("summary", null);
    this.body = h("div", { class: "tool-detail" });
    this.element = h("details", { class: "fold tool" }, this.label, this.body);
    this.element.addEventListener("toggle", () => this.show());
  }

  update(tool) {
    if (this.tool === tool) return;
    this.tool = tool;
    const mark = tool.status === "failed" ? "✕" : tool.done ? "✓" : "…";
    const tone = tool.status === "failed" ? "bad" : tool.done ? "good" : "busy";
    fill(this.label,
      h("span", { class: `tool-mark ${tone}`, "aria-hidden": "true" }, mark),
      h("span", { class: "tool-name" }, tool.name ?? tool.kind ?? "tool"),
      h("span", { class: "sr" }, tool.status ?? ""));
    this.show();
  }

  show() {
    if (!this.element.open) return;
    const { done, name, ...rest } = this.tool;
    const text = JSON.stringify(rest, null, 2).slice(0, MAX_DETAIL_CHARACTERS);
    fill(this.body, textElement(text));
  }
}
