// A piece of Markdown as one line of text: without what only makes bold, code and headings.

const MARKS = [
  /^ {0,3}(?:#{1,6} |> |[-*+] )/gm,
  /^ {0,3}```[^\n`]*$/gm,
  /```/g,
  /(?<![\w*])\*\*(?=\S)([^*\n]+)\*\*(?![\w*])/g,
  /(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g,
  /^\*\*(?=[\s.,;:!?)]|$)|(?<=^|\s)\*\*$/g, // one of a pair, at the end of a piece
  /(?<!`)`(?!`)/g,
];

/** @param {string} text */
export function plain(text) {
  return MARKS.reduce((left, mark) => left.replace(mark, (_, kept) => (typeof kept === "string" ? kept : "")), text);
}

/** Its first line that says something, of at most `most` characters. @param {string} text @param {number} most */
export function firstLine(text, most) {
  return plain(text.slice(0, 4 * most)).split("\n").map((line) => line.trim()).find(Boolean)?.slice(0, most) ?? "";
}
