// How an actor looks: one colour for each agent, the same in every part of the page.

import { h } from "./dom.js";

/** The hues of css/base.css in the order in which they are given: neighbours in the roster are far apart. */
export const ORDER = [7, 1, 4, 9, 11, 5, 2, 8, 3, 10, 6, 0];
const hues = new Map();

function hash(text) {
  let value = 7;
  for (const character of text) value = (value * 31 + character.codePointAt(0)) >>> 0;
  return value % ORDER.length;
}

/** Give every agent its colour by its place in the roster; two get the same one only when all are taken. */
export function assignColours(actorIds) {
  hues.clear();
  actorIds.forEach((actorId, place) => hues.set(actorId, ORDER[place % ORDER.length]));
}

/** The class that colours an element as this actor's. */
export function colourClass(actorId) {
  if (actorId.startsWith("user:")) return "hue-user";
  if (!actorId.startsWith("agent:")) return "hue-system";
  return `hue-${hues.get(actorId) ?? hash(actorId)}`;
}

/** The first character of a name that can be seen. */
export function initialOf(name) {
  return ([...name].find((character) => /[^\p{C}\p{Z}\p{M}]/u.test(character)) ?? "?").toUpperCase();
}

export function avatar(actorId, name) {
  return h("span", { class: `avatar ${colourClass(actorId)}`, "aria-hidden": "true" },
    initialOf(name));
}
