// Buttons that send a command: busy while it is under way, and honest when it is refused.

import { h } from "../base/dom.js";

/** `run` returns a promise; its refusal is shown through `onError(error)`. */
export function actionButton(label, run, { kind = "quiet", title, key, onError }) {
  const button = h("button", { class: kind, type: "button", title, "data-key": key }, label);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await run();
    } catch (error) {
      onError(error);
    } finally {
      button.disabled = false;
    }
  });
  return button;
}
