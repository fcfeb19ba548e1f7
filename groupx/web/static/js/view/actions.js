// Buttons that send a command: busy while it is under way, and honest when it is refused. A busy
// one keeps the focus (a disabled one would lose it) and hears no further click. The class `acts`
// marks them all: none is offered where a room is only read.

import { h } from "../base/dom.js";

/**
 * `run` returns a promise; its refusal is shown through `onError(error)`.
 * @param {string} label
 * @param {() => Promise<any>} run
 * @param {{ kind?: string, title?: string | null, key?: string, onError: (error: any) => void }} options
 */
export function actionButton(label, run, { kind = "quiet", title, key, onError }) {
  const button = h("button", { class: `acts ${kind}`, type: "button", title, "data-key": key }, label);
  button.addEventListener("click", async () => {
    if (button.ariaDisabled) return;
    button.ariaDisabled = "true";
    try {
      await run();
    } catch (error) {
      onError(error);
    } finally {
      button.ariaDisabled = null;
    }
  });
  return button;
}
