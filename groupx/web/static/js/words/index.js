// Every word of the interface in its two languages, a table for each part of the page.

import * as agentPanel from "./agent_panel.js";
import * as assistant from "./assistant.js";
import * as composer from "./composer.js";
import * as connection from "./connection.js";
import * as context from "./context.js";
import * as errors from "./errors.js";
import * as frame from "./frame.js";
import * as keys from "./keys.js";
import * as memory from "./memory.js";
import * as panels from "./panels.js";
import * as records from "./records.js";
import * as turnPanel from "./turn_panel.js";
import * as room from "./room.js";
import * as roster from "./roster.js";
import * as search from "./search.js";
import * as setup from "./setup.js";
import * as sidebar from "./sidebar.js";
import * as turn from "./turn.js";

const TABLES = [setup, composer, connection, errors, frame, turnPanel, room, roster, turn, agentPanel, assistant, context,
  memory, panels, records, keys, search, sidebar];
const STRINGS = {
  en: Object.assign({}, ...TABLES.map((table) => table.en)),
  zh: Object.assign({}, ...TABLES.map((table) => table.zh)),
};

const CHOICE = "groupx.language";

let current = (localStorage.getItem(CHOICE) ?? navigator.language).startsWith("zh") ? "zh" : "en";
document.documentElement.lang = current;

export function language() {
  return current;
}

/** The text of `key` with `{name}` replaced. An unknown key is shown as it is. */
export function t(key, values = {}) {
  const text = STRINGS[current][key] ?? STRINGS.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function has(key) {
  return key in STRINGS.en;
}

/** Switch to the other language; the page is built anew. */
export function switchLanguage() {
  localStorage.setItem(CHOICE, current === "en" ? "zh" : "en");
  location.reload();
}
