// In the composer's place while an older room is read: where one is, and the way back.

import { h } from "../base/dom.js";
import { routeHash } from "../frame/router.js";
import { roomName } from "../frame/topbar.js";
import { t } from "../words/index.js";

/** @param {{ title: string, roomId: string }} room @param {string} activeRoomId */
export function readingBar(room, activeRoomId) {
  return h("div", { class: "reading-bar", role: "status" },
    h("span", null, t("rooms.reading", { title: roomName(room) })),
    h("a", { class: "button", href: routeHash("room", activeRoomId) }, t("rooms.back")));
}
