// Times as people read them; the exact one is in the title. One clock updates them all.

import { now } from "./clock.js";
import { language, t } from "../words/index.js";
import { h } from "./dom.js";

const RELATIVE_MS = 30_000;

const formats = new Map();
function format(name, options) {
  const key = `${language()} ${name}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(language(), options));
  return formats.get(key);
}

const clock = (date) => format("clock", { hour: "2-digit", minute: "2-digit" }).format(date);
const dayAndClock = (date) => format("dated", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }).format(date);
const absolute = (date) => format("full", { dateStyle: "full", timeStyle: "medium" }).format(date);

export function clockTime(iso) {
  return clock(new Date(iso));
}

export function dayKey(iso) {
  const date = new Date(iso);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

export function dayName(iso) {
  const today = dayKey(now());
  const yesterday = dayKey(now() - 86_400_000);
  if (dayKey(iso) === today) return t("day.today");
  if (dayKey(iso) === yesterday) return t("day.yesterday");
  return format("day", { weekday: "long", year: "numeric", month: "long", day: "numeric" })
    .format(new Date(iso));
}

/** How long ago, or when; `dated`: with its day where that is another. @param {Date} date @param {boolean} dated */
export function relative(date, dated = false) {
  const seconds = Math.round((now() - date.getTime()) / 1000);
  if (seconds < 45) return t("time.now");
  if (seconds < 3600) return t("time.minutes", { n: Math.max(1, Math.round(seconds / 60)) });
  return dated && dayKey(date) !== dayKey(now()) ? dayAndClock(date) : clock(date);
}

/** `<time>` that says how long ago, and exactly when on hover. */
export function timeElement(iso) {
  return element(iso, "when");
}

/** The same where no line above says the day. */
export function datedElement(iso) {
  return element(iso, "when dated");
}

function element(iso, name) {
  const date = new Date(iso);
  return h("time", { class: name, datetime: iso, title: absolute(date) }, relative(date, name !== "when"));
}

/** `0:07`, `12:41`, `1:02:09`. */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** @type {number | null} when what is counted was last known to go on */
let stoppedAt = null;

/** While nobody answers, nothing is known to go on: what is counted stands still. */
export function holdElapsed(hold) {
  stoppedAt = hold ? stoppedAt ?? now() : null;
}

const elapsed = (since) => duration((stoppedAt ?? now()) - since);

/** A count of seconds since `iso` that goes on by itself. */
export function elapsedElement(iso) {
  const since = Date.parse(iso);
  return h("span", { class: "elapsed", "data-since": since }, elapsed(since));
}

/** @returns {NodeListOf<HTMLElement>} */
const all = (selector) => document.querySelectorAll(selector);

export function startClock() {
  setInterval(() => {
    for (const element of all(".elapsed")) {
      element.textContent = elapsed(Number(element.dataset.since));
    }
  }, 1000);
  setInterval(() => {
    for (const element of all("time.when")) {
      const words = relative(new Date(element.getAttribute("datetime")), element.classList.contains("dated"));
      if (element.textContent !== words) element.textContent = words;
    }
  }, RELATIVE_MS);
}
