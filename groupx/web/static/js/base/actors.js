// How an actor looks: one colour for each agent, the same in every part of the page.

import { h } from "./dom.js";

const HUES = 12;
const hues = new Map();

function hash(text) {
  let value = 7;
  for (const character of text) value = (value * 31 + character.codePointAt(0)) >>> 0;
  return value % HUES;
}

/** Give every agent of the roster its colour; two get the same one only when all are taken. */
export function assignColours(actorIds) {
  hues.clear();
  const taken = new Set();
  for (const actorId of actorIds) {
    let hue = hash(actorId);
    for (let step = 0; taken.has(hue) && step < HUES; step++) hue = (hue + 1) % HUES;
    taken.add(hue);
    hues.set(actorId, hue);
  }
}

/** The class that colours an element as this actor's. */
export function colourClass(actorId) {
  if (actorId.startsWith("user:")) return "hue-user";
  if (!actorId.startsWith("agent:")) return "hue-system";
  return `hue-${hues.get(actorId) ?? hash(actorId)}`;
}

export function avatar(actorId, name) {
  const initial = [...name.trim()][0] ?? "?";
  return h("span", { class: `avatar ${colourClass(actorId)}`, "aria-hidden": "true" },
    initial.toUpperCase());
}
