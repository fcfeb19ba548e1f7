// A button that copies, and says whether it did.

import { h } from "../base/dom.js";
import { t } from "../words/index.js";

const COPIED_MS = 1500;

/** `text()` gives what is copied. */
export function copyButton(text, label, { kind = "quiet", title = null, key = null } = {}) {
  const button = h("button", { class: kind, type: "button", title, "data-key": key }, label);
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(text()).then(() => true, () => false);
    button.textContent = t(done ? "code.copied" : "code.notCopied");
    setTimeout(() => (button.textContent = label), COPIED_MS);
  });
  return button;
}
