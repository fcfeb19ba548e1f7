// One hit: who, when, in which room, and the words around it; a link to where it stands.

import { avatar } from "../base/actors.js";
import { h } from "../base/dom.js";
import { clockTime, dayName } from "../base/time.js";
import { whose } from "../panels/parts.js";
import { roomName } from "../frame/topbar.js";
import { t } from "../words/index.js";
import { addressOf } from "./address.js";
import { excerpt } from "./excerpt.js";

function roomTitle(rooms, roomId) {
  const room = rooms.find((other) => other.roomId === roomId);
  return room ? roomName(room) : roomId;
}

/** What is remembered says whose it is. */
function kind({ kind: name, ownerActorId }, state) {
  if (name === "message") return null;
  const key = name === "memory" && !ownerActorId ? "search.kind.memory.room" : `search.kind.${name}`;
  return h("span", { class: "badge" }, t(key, { name: ownerActorId ? state.agentName(ownerActorId) : "" }));
}

export function resultRow(result, index, state, onFollow) {
  const name = whose(result.actorId, state);
  const elsewhere = result.roomId && result.roomId !== state.room.roomId;
  return h("a", { class: "search-result", id: `search-result-${index}`, role: "option", "aria-selected": "false",
    href: addressOf(result, state.room), tabindex: "-1", onclick: onFollow },
    h("span", { class: "search-about" }, avatar(result.actorId, name), h("span", { class: "name" }, name),
      h("time", { datetime: result.at }, `${dayName(result.at)}, ${clockTime(result.at)}`), kind(result, state),
      (result.status ?? "active") === "active" ? null : h("span", { class: "badge" }, t(`record.status.${result.status}`)),
      elsewhere ? h("span", { class: "badge" }, t("search.otherRoom", { title: roomTitle(state.rooms, result.roomId) })) : null),
    excerpt(result.excerptHtml));
}
