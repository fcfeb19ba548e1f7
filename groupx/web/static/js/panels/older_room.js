// What a view says while an older room is read: of which room it is what it shows.

import { h } from "../base/dom.js";
import { roomName } from "../frame/topbar.js";
import { t } from "../words/index.js";

/** A line, or null in the room that goes on. @param {import("../store/state.js").RoomState} state
 * @param {string} what the part that says it: `elsewhere.<what>` */
export function ofOlderRoom(state, what) {
  if (state.room.active) return null;
  return h("p", { class: "older-room note" }, t(`elsewhere.${what}`, { title: roomName(state.room) }));
}
