// An excerpt of a hit: the daemon's escaped text with <mark> and nothing else. Whatever else would
// be in it stays text, without the marks of Markdown.

import { h } from "../base/dom.js";
import { plain } from "../view/plain.js";

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const TABLE_RULE = /\|(?: *:?-{3,}:? *\|)+/g;
const LAST_CODE_POINT = 0x10ffff;

function unescaped(text) {
  return text.replace(ENTITY, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name.toLowerCase()];
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}

/** `"a <mark>b</mark>"` → `[{ text: "a ", marked: false }, { text: "b", marked: true }]`. */
export function parseExcerpt(html) {
  const parts = [];
  let marked = false;
  for (const piece of html.split(/(<\/?mark>)/)) {
    if (piece === "<mark>") marked = true;
    else if (piece === "</mark>") marked = false;
    else if (piece) parts.push({ text: unescaped(piece), marked });
  }
  return parts;
}

/** The same as one reads it: what makes text bold may begin before a hit and end behind it. */
export function readableExcerpt(html) {
  const text = html.replace(/[\ue000\ue001]/g, "").replaceAll("<mark>", "\ue000").replaceAll("</mark>", "\ue001");
  return parseExcerpt(plain(text.replace(TABLE_RULE, " ")).replaceAll("\ue000", "<mark>").replaceAll("\ue001", "</mark>"));
}

export function excerpt(html) {
  return h("span", { class: "hit" },
    readableExcerpt(html).map(({ text, marked }) => (marked ? h("mark", null, text) : text)));
}
