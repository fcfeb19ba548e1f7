// Keys that an input method is given, not the page.

/** Whether an input method composes with this key: to the page it says nothing. The key that ends a composition is told
 * by its code alone in Safari. @param {KeyboardEvent} event */
export function isComposed(event) {
  return event.isComposing || event.keyCode === 229;
}
