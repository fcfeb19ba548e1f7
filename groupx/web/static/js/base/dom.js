// Building elements. Content only ever becomes text nodes; there is no way to pass HTML.

/** `h("button", { class: "quiet", onclick }, "Stop")`. Props: `on…` handlers, true/false
 * attributes, null = leave out. Children: nodes, strings, arrays, null = nothing. */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(element, name, value);
  append(element, children);
  return element;
}

function setProp(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else element.setAttribute(name, value === true ? "" : value);
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Replace everything inside `element`. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Make `list` hold exactly these elements, moving nothing that is in its place: what is moved
 * loses the focus and its place in a scroll. */
export function place(list, wanted) {
  wanted.forEach((element, index) => {
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  });
  while (list.children.length > wanted.length) list.lastChild.remove();
}

/** Show one line of the page only when it says something. */
export function say(element, text) {
  element.hidden = !text;
  if (element.textContent !== text) element.textContent = text ?? "";
}

/** Rebuild a part of the page only when what it shows has changed: a button that is replaced
 * under the pointer loses its click. */
export function redrawn(container, shows, rebuild) {
  const shown = JSON.stringify(shows);
  if (container.dataset.shows === shown) return;
  keepingFocus(container, rebuild);
  container.dataset.shows = shown;
}

/** Keep the focus where it was when a part that held it is made anew (elements with `data-key`); on what is
 * around it when what had it is no longer there: the message, the record, or the part itself. */
function keepingFocus(container, rebuild) {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  if (!container.contains(focused)) {
    rebuild();
    return;
  }
  const { key } = focused.dataset;
  rebuild();
  if (focused.isConnected) return;
  const again = key ? container.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
  if (again instanceof HTMLElement) again.focus();
  else keepFocusIn(container.closest("[tabindex], .item") ?? container);
}

/** Bring it into the middle of what scrolls it; one that is too high for that is read from its beginning.
 * @param {HTMLElement} element @param {HTMLElement} frame what scrolls it */
export function intoSight(element, frame) {
  element.scrollIntoView({ block: element.offsetHeight > 0.8 * frame.clientHeight ? "start" : "center" });
}

function keepFocusIn(element) {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
