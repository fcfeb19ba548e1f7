// The variables of one program. Their values stay with the daemon: only new ones are typed here.

import { fill, h } from "../base/dom.js";
import { t } from "../words/index.js";

/** `program.env` as rows; `null` is a value that the file has and keeps. */
export function variables(program) {
  const rows = h("div", { class: "variables" });
  const kept = new Set(Object.keys(program.env ?? {}));
  const list = Object.entries(program.env ?? {}).map(([name, value]) => ({ name, value }));
  const note = () => {
    program.env = Object.fromEntries(list.filter(({ name }) => name).map(({ name, value }) => [name, value]));
  };
  const line = (row) => {
    const saved = row.value === null && kept.has(row.name);
    const name = h("input", { class: "mono", type: "text", "aria-label": t("setup.variable.name"),
      placeholder: "NAME", disabled: saved, spellcheck: "false", autocomplete: "off", autocapitalize: "none" });
    const value = h("input", { class: "mono", type: "password", "aria-label": t("setup.variable.value"),
      placeholder: saved ? t("setup.variable.kept") : t("setup.variable.value"), autocomplete: "new-password" });
    name.value = row.name;
    name.addEventListener("input", () => {
      row.name = name.value.trim();
      note();
    });
    value.addEventListener("input", () => {
      row.value = saved && value.value === "" ? null : value.value;
      note();
    });
    return h("div", { class: "variable" }, name, value, h("button", { class: "quiet", type: "button",
      "aria-label": t("setup.variable.remove", { name: row.name }), onclick: () => {
        list.splice(list.indexOf(row), 1);
        note();
        draw();
      } }, t("setup.remove")));
  };
  const draw = () => fill(rows, list.map(line), h("button", { class: "link", type: "button", onclick: () => {
    list.push({ name: "", value: "" });
    draw();
    rows.querySelector(".variable:last-of-type input").focus();
  } }, t("setup.variable.add")));
  draw();
  return h("div", { class: "field" }, h("span", { class: "field-label" }, t("setup.variables")), rows,
    h("div", { class: "field-note" }, h("span", { class: "field-hint" }, t("setup.variables.hint"))));
}
