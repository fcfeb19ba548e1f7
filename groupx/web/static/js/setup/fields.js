// One labelled field: what it is, what it holds, and beside it what is wrong with it.

import { h, say } from "../base/dom.js";
import { t } from "../words/index.js";

let count = 0;

/** Every field on the page by its path in the document, so that an error finds its place. */
export class Fields {
  constructor() {
    this.all = new Set();
  }

  /** `path()` is asked each time: an id may be edited. */
  add(path, field) {
    this.all.add(field);
    field.path = path;
    return field.element;
  }

  clear() {
    for (const field of this.shown()) field.complain("");
  }

  shown() {
    for (const field of this.all) if (!field.element.isConnected) this.all.delete(field);
    return this.all;
  }

  /** The field whose path is the longest beginning of `path`. Whether there is one. */
  complain(path, message) {
    let best = null;
    for (const field of this.shown()) {
      const own = field.path();
      const fits = path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`);
      if (fits && own.length >= (best?.path().length ?? 0)) best = field;
    }
    best?.complain(message);
    return best;
  }
}

/**
 * @param {{ label: string, hint?: string, value: string, rows?: number, mono?: boolean, placeholder?: string,
 *   disabled?: boolean, list?: string[], onInput: (value: string) => void }} options
 */
export function textField({ label, hint = "", value, rows, mono, placeholder, disabled, onInput }) {
  const id = `setup-${++count}`;
  const input = h(rows ? "textarea" : "input", { id, class: mono ? "mono" : null, placeholder, disabled,
    rows, type: rows ? null : "text", spellcheck: mono ? "false" : null, autocomplete: "off",
    autocapitalize: mono ? "none" : null, "aria-describedby": `${id}-note` });
  input.value = value;
  const field = framed(id, label, input, hint);
  input.addEventListener("input", () => {
    field.complain("");
    onInput(input.value);
  });
  return field;
}

/** @param {{ label: string, value: string, choices: [string, string][], hint?: string, onInput: (value: string) => void }} options */
export function choiceField({ label, value, choices, hint = "", onInput }) {
  const id = `setup-${++count}`;
  const input = h("select", { id, "aria-describedby": `${id}-note` },
    choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  input.addEventListener("change", () => onInput(input.value));
  return framed(id, label, input, hint);
}

function framed(id, label, input, hint) {
  const note = h("span", { class: hint ? "field-hint" : "field-hint none" }, hint);
  const error = h("span", { class: "field-error", hidden: true });
  const element = h("div", { class: "field" }, h("label", { for: id }, label), input,
    h("div", { id: `${id}-note`, class: "field-note" }, note, error));
  return {
    element,
    input,
    path: () => "",
    hint(text) {
      note.textContent = text;
    },
    complain(message) {
      say(error, message);
      note.hidden = Boolean(message);
      element.classList.toggle("wrong", Boolean(message));
      if (message) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    },
  };
}

export function switchField(label, on, onChange) {
  const input = h("input", { type: "checkbox", role: "switch" });
  input.checked = on;
  input.addEventListener("change", () => onChange(input.checked));
  return h("label", { class: "switch" }, input, h("span", { class: "switch-track", "aria-hidden": "true" }), label);
}

/** A command to be run elsewhere, with a button that copies it. */
export function copyLine(command) {
  const button = h("button", { class: "quiet", type: "button" }, t("copy"));
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(command).then(() => true, () => false);
    button.textContent = t(done ? "code.copied" : "code.notCopied");
  });
  return h("span", { class: "copy-line" }, h("code", null, command), button);
}
