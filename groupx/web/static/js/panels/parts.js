// Small pieces that every view beside the room is made of.

import { isComposed } from "../base/composing.js";
import { h } from "../base/dom.js";
import { dayKey } from "../base/time.js";
import { copyButton } from "../view/copy.js";
import { language, t } from "../words/index.js";

/** A titled part of a view; `beside` stands at the end of its heading. */
export function section(title, beside, ...children) {
  return h("section", { class: "part" },
    h("div", { class: "part-head" }, h("h3", null, title), beside), children);
}

/** `[key of a word, value]` rows; those without a value are left out. */
export function facts(rows) {
  return h("dl", null, rows
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([key, value]) => [h("dt", null, t(key)), h("dd", null, value)]));
}

/** The exact moment, for a record of what happened. */
export function moment(iso) {
  if (!iso) return null;
  const date = new Date(iso);
  /** @type {Intl.DateTimeFormatOptions} */
  const day = dayKey(iso) === dayKey(new Date()) ? {} : { year: "numeric", month: "short", day: "numeric" };
  return h("time", { datetime: iso, title: date.toString() }, date.toLocaleString(language(),
    { ...day, hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 }));
}

export function number(value) {
  return value.toLocaleString(language());
}

/** An id that a click copies. */
export function copyable(text) {
  return copyButton(() => text, text, { kind: "copyable", title: t("copy"), key: `copy:${text}` });
}

/**
 * A button that asks once more in its place: `question`, then yes or no. `inside` may hold a
 * choice that belongs to it.
 * @param {string} label
 * @param {{ question: string, yes: string, kind?: string, look?: string, key?: string, inside?: any,
 *   run: () => Promise<void>, onError: (error: any) => void }} options
 */
export function confirming(label, { question, yes, kind = "danger", look = "quiet", key, inside = null, run, onError }) {
  const root = h("span", { class: "confirming" });
  const ask = () => {
    const go = h("button", { class: kind, type: "button" }, yes);
    const leave = h("button", { class: "quiet", type: "button", onclick: () => rest(true) }, t("keep"));
    go.addEventListener("click", async () => {
      if (go.ariaDisabled) return;
      go.ariaDisabled = "true";
      try {
        await run();
        rest(root.contains(document.activeElement));
      } catch (error) {
        go.ariaDisabled = null;
        onError(error);
      }
    });
    root.replaceChildren(h("span", { class: "question" }, question), ...[inside].filter(Boolean),
      h("span", { class: "buttons" }, go, leave));
    root.classList.add("asking");
    go.focus();
  };
  const rest = (focus) => {
    const button = h("button", { class: look, type: "button", "data-key": key, onclick: ask }, label);
    root.replaceChildren(button);
    root.classList.remove("asking");
    if (focus) button.focus();
  };
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || isComposed(event) || !root.classList.contains("asking")) return;
    event.preventDefault();
    rest(true);
  });
  rest(false);
  return root;
}

/** Who it is by, in words. */
export function whose(actorId, state) {
  if (actorId === "user:web") return t("actor.you");
  if (actorId === "user:assistant") return t("actor.assistant");
  return state.agentName(actorId);
}
