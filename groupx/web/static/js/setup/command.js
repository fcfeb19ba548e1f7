// A command as it is typed: words between spaces; quotes hold a word together. No shell reads it.

const PLAIN = /^[^\s"']+$/;

/** The list or text of the config → one line. */
export function commandText(command) {
  if (!command) return "";
  const words = typeof command === "string" ? [command]
    : Array.isArray(command) ? command : [command.executable, ...(command.prefixArgs ?? [])];
  return words.map(quoted).join(" ");
}

function quoted(word) {
  if (PLAIN.test(word)) return word;
  return word.includes('"') && !word.includes("'") ? `'${word}'` : `"${word.replaceAll('"', '\\"')}"`;
}

/** `npx -y "my agent"` → `["npx", "-y", "my agent"]`. */
export function commandWords(text) {
  const words = [];
  for (const [, double, single, plain] of text.matchAll(/"((?:\\"|[^"])*)"?|'([^']*)'?|([^\s"']+)/g)) {
    words.push(double?.replaceAll('\\"', '"') ?? single ?? plain);
  }
  return words;
}

/** As the config holds it: one word is a text. */
export function commandValue(text) {
  const words = commandWords(text);
  return words.length === 1 ? words[0] : words;
}
