// What was said, as the daemon rendered it. The one place where HTML enters the page.
//
// Why that is safe: the daemon makes the HTML from Markdown in which raw HTML is text, and then
// lets only allow-listed tags and attributes through (groupx/render/sanitiser.py; tried with a
// corpus of attacks and with random texts). It is parsed into a document that runs nothing and
// loads nothing, and what should still get through would meet a policy that allows no inline
// script, no inline style and no foreign image.

import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";
import { copyButton } from "./copy.js";
import { foldable, foldedText, isLong, startOf, textElement } from "./text.js";

/**
 * The HTML of what was said, or its text when it has none; folded when it is long.
 * @param {string} text @param {string} [html]
 * @param {{ fold?: typeof import("./text.js").BRIEF, open?: boolean }} how `fold`: what is long here; `open`: not
 *   folded at first
 */
export function finished(text, html, { fold, open = false } = {}) {
  if (html === undefined) return foldedText(text, fold, open);
  if (!isLong(text, fold)) return fill(rendered(), blocksOf(html));
  return folded(text, blocksOf(html), fold, open);
}

function rendered() {
  return h("div", { class: "rendered" });
}

function blocksOf(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const pre of body.querySelectorAll("pre.code")) frameCode(pre);
  for (const table of body.querySelectorAll("table")) {
    const frame = h("div", { class: "table", tabindex: "0" });
    table.replaceWith(frame);
    frame.append(table);
  }
  return [...body.children];
}

function frameCode(pre) {
  const copy = copyButton(() => pre.textContent, t("code.copy"));
  const wrap = h("button", { class: "quiet", type: "button", "aria-pressed": "false" }, t("code.wrap"));
  const block = h("div", { class: "code-block" },
    h("div", { class: "code-head" }, h("span", null, pre.dataset.language ?? ""), wrap, copy));
  wrap.addEventListener("click", () => {
    const on = block.classList.toggle("wrapped");
    wrap.setAttribute("aria-pressed", String(on));
  });
  pre.tabIndex = 0;
  pre.before(block);
  block.append(pre);
}

/** The first blocks of a long message; the others are not in the page until they are asked for. */
function folded(text, blocks, fold, open) {
  const first = fitting(blocks, fold);
  return foldable(text.split("\n").length, (whole) => {
    const part = whole ? blocks : first;
    return part.length ? fill(rendered(), part) : textElement(startOf(text, fold));
  }, open);
}

function fitting(blocks, fold) {
  let all = "";
  const count = blocks.findIndex((block) => isLong((all += `${block.textContent}\n`), fold));
  return count === -1 ? blocks.slice(0, -1) : blocks.slice(0, count);
}
