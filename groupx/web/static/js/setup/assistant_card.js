// The room's assistant: whether there is one, its name, the program behind it.

import { fill, h } from "../base/dom.js";
import { t } from "../words/index.js";
import { folderField, programFields } from "./agent_card.js";
import { choiceField, switchField, textField } from "./fields.js";

export function assistantCard(draft, fields) {
  const body = h("div", { class: "assistant-body" });
  const draw = () => {
    const { assistant } = draft;
    body.hidden = !assistant?.enabled;
    if (!body.hidden) fill(body, assistantFields(draft, fields, draw));
  };
  const card = h("div", { class: "assistant-card" },
    switchField(t("setup.assistant.on"), Boolean(draft.assistant?.enabled), (on) => {
      if (on) draft.assistant = { ...(draft.assistant ?? fresh(draft)), enabled: true };
      else if (draft.document.assistant) draft.assistant = { ...draft.assistant, enabled: false };
      else draft.assistant = null;
      draw();
    }), h("p", { class: "note" }, t("setup.assistant.hint")), body);
  draw();
  return card;
}

function fresh(draft) {
  const driver = draft.entries[0]?.driver ?? draft.programs.find((program) => program.found).driver;
  return { enabled: true, name: t("setup.assistant.name"), brain: brain(draft, driver) };
}

function brain(draft, driver, cwd = ".") {
  const command = draft.drivers.get(driver)?.command[0] ?? "";
  return driver === "demo" ? { driver, cwd } : { driver, command, cwd };
}

function assistantFields(draft, fields, redraw) {
  const { assistant } = draft;
  const at = (key) => () => `assistant.brain.${key}`;
  /** @type {[string, string][]} */
  const choices = [...draft.drivers.values()].map((offer) => [offer.driver, offer.driver === "acp" ? t("setup.other") : offer.name]);
  return [
    h("div", { class: "card-grid" },
      fields.add(() => "assistant.name", textField({ label: t("setup.name"), value: assistant.name,
        onInput: (value) => (assistant.name = value) })),
      fields.add(at("driver"), choiceField({ label: t("setup.brain"), value: assistant.brain.driver, choices,
        hint: t("setup.brain.hint"), onInput: (driver) => {
          assistant.brain = brain(draft, driver, assistant.brain.cwd);
          redraw();
        } })),
      fields.add(at("cwd"), folderField(draft, assistant.brain)),
      programFields({ fields, at, program: assistant.brain, driver: assistant.brain.driver,
        offer: draft.drivers.get(assistant.brain.driver) })),
    fields.add(() => "assistant.extraInstructions", textField({ label: t("setup.instructions"), rows: 2,
      value: assistant.extraInstructions ?? "", onInput: (value) => (assistant.extraInstructions = value) })),
  ];
}
