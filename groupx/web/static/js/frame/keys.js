// Every key of the page: what the dialog shows and what the keyboard obeys.

/** `keys`: as KeyboardEvent.key has them, `Mod` for Ctrl or Cmd; `atEntry`: only while a message itself has the
 * focus, and without Shift. */
export const KEYS = [
  { action: "search", keys: ["Mod+k", "/"], group: "go" },
  { action: "next", keys: ["j"], group: "go" },
  { action: "previous", keys: ["k"], group: "go" },
  { action: "first", keys: ["g"], group: "go" },
  { action: "last", keys: ["G"], group: "go" },
  { action: "next", keys: ["ArrowDown"], group: "say", atEntry: true },
  { action: "previous", keys: ["ArrowUp"], group: "say", atEntry: true },
  { action: "write", keys: ["c"], group: "say" },
  { action: "reply", keys: ["r"], group: "say" },
  { action: "details", keys: ["d"], group: "say" },
  { action: "agent", keys: ["Alt+1…9"], group: "open" },
  { action: "memory", keys: ["m"], group: "open" },
  { action: "assistant", keys: ["a"], group: "open" },
  { action: "help", keys: ["?"], group: "open" },
  { action: "close", keys: ["Escape"], group: "open" },
];

/** Of the composer, which handles them by itself; the dialog shows them too. */
export const WRITING = [
  { action: "send", keys: ["Enter"] },
  { action: "break", keys: ["Shift+Enter"] },
  { action: "address", keys: ["@"] },
];

const SHORT = { Escape: "Esc", ArrowUp: "↑", ArrowDown: "↓" };

/** How a key of the table is written: `Mod` is Ctrl, on a Mac Cmd. */
export function keyName(name, isMac = /mac/i.test(navigator.platform)) {
  const key = (SHORT[name] ?? name).replace(/\+([a-z])$/, (_, letter) => `+${letter.toUpperCase()}`);
  return key.replace(/^Mod\+/, isMac ? "⌘" : "Ctrl+");
}

const WHILE_TYPING = new Set(["search", "agent", "close"]);

/** What a key does: `{ action, n? }`, or null. `typing`: the focus is where one writes; `atEntry`: a message has it.
 * @param {{ key: string, code: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean }} event
 * @param {boolean} typing @param {boolean} [atEntry] */
export function actionOf(event, typing, atEntry = false) {
  const found = event.altKey ? agentOf(event) : plainOf(event, atEntry && !event.shiftKey);
  if (!found || (typing && !WHILE_TYPING.has(found.action))) return null;
  return typing && found.key === "/" ? null : found;
}

/** By the place of the key: what Alt makes of a digit differs from system to system. */
function agentOf({ code, ctrlKey, metaKey }) {
  const digit = /^Digit([1-9])$/.exec(code);
  return digit && !ctrlKey && !metaKey ? { action: "agent", n: Number(digit[1]) } : null;
}

function plainOf({ key, ctrlKey, metaKey }, atEntry) {
  const name = ctrlKey || metaKey ? `Mod+${key.toLowerCase()}` : key;
  const row = KEYS.find((each) => each.keys.includes(name) && (atEntry || !each.atEntry));
  return row ? { action: row.action, key: name } : null;
}
