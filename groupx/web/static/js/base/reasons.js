// Why something failed or was refused, in the language of the page. The daemon's own sentence is in
// English, and says more than its code: where another is spoken it is kept for the details.

import { has, language, t } from "../words/index.js";

/** One sentence; empty when there is nothing to say. @param {string} [code] @param {string} [message] */
export function reason(code, message) {
  if (message && language() === "en") return message;
  const key = `error.${code}`;
  return has(key) ? t(key) : message ?? code ?? "";
}

/** The daemon's sentence, where `reason` is another; else null. @param {string} [code] @param {string} [message] */
export function original(code, message) {
  return message && reason(code, message) !== message ? message : null;
}

/** Both, where no details are to be had. @param {string} [code] @param {string} [message] */
export function fullReason(code, message) {
  return [reason(code, message), original(code, message)].filter(Boolean).join(" ");
}
