// What a turn's prompt consisted of, what was left out of it, and what its program counted.

import { h } from "../../base/dom.js";
import { routeHash } from "../../frame/router.js";
import { has, t } from "../../words/index.js";
import { bar } from "../bar.js";
import { facts, number, section } from "../parts.js";

export function packet({ packet: told }) {
  if (!told) return null;
  const omitted = new Map((told.omitted ?? []).map(({ section: name, count }) => [name, count]));
  return section(t("details.packet"), h("span", { class: "note" },
    t("details.characters", { n: number(told.characters) })),
  h("ul", { class: "sizes" }, told.sections.map((part) => {
    const left = omitted.get(part.name);
    omitted.delete(part.name);
    return size(part, told.characters, left);
  }), [...omitted].map(([name, count]) => size({ name, characters: 0, entries: 0 }, 1, count))),
  relevant(told.relevant));
}

function size({ name, characters, entries }, whole, omitted) {
  return h("li", null,
    h("span", { class: "size-name" }, sectionName(name)),
    h("span", { class: "size-count note" }, t("details.size", { n: number(characters), entries }),
      omitted ? h("span", { class: "left-out" }, ` ${t("details.omitted", { n: omitted })}`) : null),
    bar([{ share: characters / (whole || 1), tone: "busy" }]));
}

function sectionName(name) {
  const key = `details.section.${name}`;
  return has(key) ? t(key) : name;
}

/** The memories that the message itself called up. */
function relevant(found) {
  if (!found) return null;
  return h("div", { class: "relevant" },
    h("p", { class: "note" }, found.failed ? t("details.relevant.failed")
      : t("details.relevant", { n: found.ids.length, all: found.candidates })),
    found.ids.length ? h("ul", { class: "ids" }, found.ids.map((id) => h("li", null, h("a", { class: "link mono", href: routeHash("memory", id),
      "data-key": `memory:${id}` }, id)))) : null);
}

const COUNTS = ["inputTokens", "outputTokens", "totalTokens", "contextUsed", "contextSize"];

export function usage({ usage: told }) {
  if (!told) return null;
  const rows = COUNTS.map((name) => [`details.usage.${name}`, told[name] ?? null])
    .map(([key, count]) => [key, count === null ? null : number(count)]);
  if (rows.every(([, count]) => count === null)) return null;
  return section(t("details.usage"), null, facts(rows));
}
