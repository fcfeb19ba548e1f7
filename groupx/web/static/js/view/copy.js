// A button that copies, and says whether it did.

import { h } from "../base/dom.js";
import { t } from "../words/index.js";

const COPIED_MS = 1500;

/** `text()` gives what is copied. */
export function copyButton(text, label) {
  const button = h("button", { class: "quiet", type: "button" }, label);
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(text()).then(() => true, () => false);
    button.textContent = t(done ? "code.copied" : "code.notCopied");
    setTimeout(() => (button.textContent = label), COPIED_MS);
  });
  return button;
}
