// The programs of this machine: what is there, what could be, and a way to get it.

import { h } from "../base/dom.js";
import { avatar } from "../base/actors.js";
import { t } from "../words/index.js";
import { copyLine } from "./fields.js";

/** Rows with a button that adds an agent; `onAdd(driver)`. @param {import("./checks.js").Checks} checks */
export function programList(draft, checks, onAdd) {
  const taken = new Set(draft.entries.map((entry) => entry.driver));
  const line = (program) => row(program, checks, taken.has(program.driver), onAdd);
  const there = draft.programs.filter((program) => program.found);
  const missing = draft.programs.filter((program) => !program.found);
  const other = { driver: "acp", name: t("setup.other"), found: true };
  return [
    draft.exists || there.some((program) => program.driver !== "demo") ? null : h("p", { class: "none-found" }, t("setup.none")),
    h("ul", { class: "programs" }, [...there, other].map(line)),
    missing.length ? h("details", { class: "missing", open: draft.missingOpen ??= there.length < 2 && !draft.exists,
      ontoggle: (event) => (draft.missingOpen = event.target.open) },
      h("summary", null, t("setup.missing", { n: missing.length })),
      h("ul", { class: "programs" }, missing.map(line))) : null,
    there.some((program) => program.loginHint) ? h("p", { class: "note doctor" }, t("setup.check.basis"), " ",
      h("code", null, "groupx doctor")) : null,
  ];
}

function row(program, checks, taken, onAdd) {
  return h("li", { class: program.found ? "program" : "program absent", "data-driver": program.driver },
    avatar(`agent:${program.driver}`, program.name),
    h("div", { class: "program-text" }, h("div", { class: "program-name" }, program.name,
      program.version ? h("span", { class: "note" }, program.version) : null), about(program, checks)),
    h("button", { class: program.found ? "button" : "quiet", type: "button",
      "aria-label": t("setup.add.of", { name: program.name }), onclick: () => onAdd(program.driver) }, t(taken ? "setup.add.another" : program.found ? "setup.add" : "setup.add.anyway")));
}

function about(program, checks) {
  if (program.driver === "demo") return h("p", { class: "note" }, t("setup.demo"));
  if (program.driver === "acp") return h("p", { class: "note" }, t("setup.other.hint"));
  if (program.problem) return h("p", { class: "bad-text" }, t("setup.problem"), " ", h("span", { lang: "en" }, program.problem));
  if (!program.found) return h("div", { class: "note" }, t("setup.install"), program.install ? copyLine(program.install) : null);
  return [h("div", { class: "note program-path" }, program.path), program.loginHint ? checks.line(program) : null];
}

/** As many empty rows as there will be, so that nothing moves when they come. */
export function programsExpected() {
  return h("ul", { class: "programs", "aria-busy": "true", "aria-label": t("setup.looking") },
    Array.from({ length: 4 }, () => h("li", { class: "program expected" }, h("span", { class: "avatar" }),
      h("div", { class: "program-text" }, h("span", { class: "note" }, t("setup.looking"))))));
}
