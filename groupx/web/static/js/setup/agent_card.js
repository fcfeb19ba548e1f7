// One agent of the room to be: its name, its part in the room, its folder; the rest on request.

import { h } from "../base/dom.js";
import { avatar } from "../base/actors.js";
import { t } from "../words/index.js";
import { commandText, commandValue, commandWords } from "./command.js";
import { switchField, textField } from "./fields.js";
import { variables } from "./variables.js";

/** @param {{ draft: any, entry: any, fields: any, onRemove: () => void }} context */
export function agentCard({ draft, entry, fields, onRemove }) {
  const { agent } = entry;
  const at = (key) => () => `agents.${entry.id}.${key}`;
  const title = h("strong", { class: "card-name" });
  const face = h("span");
  const address = h("span", { class: "note mono" });
  const named = () => {
    title.textContent = agent.name?.trim() || entry.id;
    address.textContent = `@${entry.id}`;
    face.replaceChildren(avatar(`agent:${entry.id}`, title.textContent));
  };
  const name = textField({ label: t("setup.name"), value: agent.name ?? entry.id, onInput: (value) => {
    agent.name = value;
    named();
  } });
  const id = textField({ label: t("setup.id"), mono: true, value: entry.id, disabled: !entry.isNew,
    hint: t(entry.isNew ? "setup.id.hint" : "setup.id.fixed"), onInput: (value) => {
      draft.rename(entry, value.trim());
      named();
    } });
  named();
  const offer = draft.drivers.get(entry.driver);
  return h("li", { class: "agent-card", "data-agent": entry.id },
    h("div", { class: "card-head" }, face, title, address,
      h("span", { class: "spacer" }),
      switchField(t("setup.enabled"), agent.enabled !== false, (on) => (agent.enabled = on)),
      h("button", { class: "quiet", type: "button", "aria-label": t("setup.remove.of", { name: entry.id }),
        onclick: onRemove }, t("setup.remove"))),
    h("div", { class: "card-grid" }, fields.add(at("name"), name), fields.add(at("cwd"), folderField(draft, agent))),
    fields.add(at("identity"), textField({ label: t("setup.identity"), value: agent.identity ?? "", rows: 2,
      placeholder: t("setup.identity.example"), onInput: (value) => (agent.identity = value) })),
    h("details", { class: "card-more" }, h("summary", null, t("setup.more")),
      h("div", { class: "card-grid" }, fields.add(() => `agents.${entry.id}`, id),
        programFields({ fields, at, program: agent, driver: entry.driver, offer })),
      fields.add(at("env"), plain(variables(agent)))));
}

/** Command, arguments and mode, where the driver has them. */
export function programFields({ fields, at, program, driver, offer }) {
  return [
    driver === "demo" ? null : fields.add(at("command"), textField({ label: t("setup.command"), mono: true,
      value: commandText(program.command), hint: t("setup.command.hint"),
      onInput: (value) => (program.command = commandValue(value)) })),
    offer?.takesArgs ? fields.add(at("args"), textField({ label: t("setup.args"), mono: true,
      value: commandText(program.args ?? []), placeholder: "acp",
      onInput: (value) => (program.args = commandWords(value)) })) : null,
    offer?.takesMode ? fields.add(at("mode"), textField({ label: t("setup.mode"), mono: true, value: program.mode ?? "",
      placeholder: offer.mode ?? "", hint: t("setup.mode.hint"),
      onInput: (value) => (program.mode = value.trim()) })) : null,
  ];
}

export function folderField(draft, program) {
  const field = textField({ label: t("setup.cwd"), mono: true, value: program.cwd ?? "",
    hint: draft.resolved(program.cwd ?? ""), onInput: (value) => {
      program.cwd = value.trim();
      field.hint(draft.resolved(program.cwd));
    } });
  return field;
}

/** An element that has no input of its own to be marked. */
function plain(element) {
  const error = h("span", { class: "field-error", role: "alert" });
  element.append(error);
  return { element, input: element.querySelector("button"), path: () => "", complain: (message) => {
    error.textContent = message;
  } };
}
