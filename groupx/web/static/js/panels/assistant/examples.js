// What one may ask of the assistant, where nothing was asked yet.

import { h } from "../../base/dom.js";
import { t } from "../../words/index.js";

const EXAMPLES = ["assistant.example.news", "assistant.example.round", "assistant.example.stuck"];

/** Each puts its words where the user writes; `choose(text)`. @param {(text: string) => void} choose */
export function examples(choose) {
  return h("div", { class: "side-examples", hidden: true }, h("p", { class: "note" }, t("assistant.examples")),
    EXAMPLES.map((key) => h("button", { class: "side-example", type: "button", onclick: () => choose(t(key)) }, t(key))));
}
