// On a small window the sidebar lies over the room while it is asked for. The room under it then takes
// no tap and no focus.

import { h } from "../base/dom.js";

const NARROW = "(max-width: 52rem)"; // as in css/layout.css

const part = (id) => document.getElementById(id);

/** @type {HTMLElement | null} */
let shade = null;
/** @type {HTMLElement | null} what opened it, and has the focus again */
let opener = null;

const isOpen = () => document.body.classList.contains("roster-open");

function show(open) {
  document.body.classList.toggle("roster-open", open);
  for (const under of [part("room"), part("panel")]) under.inert = open;
  shade.hidden = !open;
}

/** Once, before it is first opened: a tap beside it, a link in it and a wide window close it. */
function prepare() {
  shade = h("div", { class: "shade", hidden: true, onclick: closeRoster });
  document.body.append(shade);
  part("sidebar").addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a[href]:not([download])")) closeRoster();
  });
  matchMedia(NARROW).addEventListener("change", closeRoster);
}

export function openRoster() {
  if (!shade) prepare();
  opener = /** @type {HTMLElement | null} */ (document.activeElement);
  show(true);
  part("sidebar").querySelector("button").focus();
}

/** Whether it was open. */
export function closeRoster() {
  if (!isOpen()) return false;
  show(false);
  opener?.focus();
  return true;
}
