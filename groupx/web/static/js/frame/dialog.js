// A dialog over the page: modal, closed by Esc, by its button and by a click beside it. The browser
// gives the focus back to what had it.

import { h } from "../base/dom.js";
import { t } from "../words/index.js";

/** @param {string} title @param {string} name @param {any[]} children @returns {HTMLDialogElement} */
export function dialog(title, name, ...children) {
  const close = h("button", { class: "quiet", type: "button", onclick: () => element.close() }, t("close"));
  const element = h("dialog", { class: name, "aria-label": title },
    h("div", { class: "dialog-head" }, h("h2", null, title), close),
    h("div", { class: "dialog-body" }, children));
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  document.body.append(element);
  return element;
}
