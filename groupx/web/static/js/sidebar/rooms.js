// The rooms: the active one, older ones to read, a new one, and what is hidden.

import { post } from "../transport/api.js";
import { fill, h, redrawn, say } from "../base/dom.js";
import { dayName } from "../base/time.js";
import { routeHash } from "../frame/router.js";
import { roomName } from "../frame/topbar.js";
import { t } from "../words/index.js";
import { actionButton } from "../view/actions.js";
import { NewRoom } from "./new_room.js";

export class Rooms {
  /** @param {import("../store/state.js").RoomState} state */
  constructor(state) {
    this.state = state;
    this.rooms = [];
    this.withArchived = false;
    this.list = h("ul", { class: "room-list" });
    this.error = h("p", { class: "roster-error", role: "alert", hidden: true });
    this.create = new NewRoom();
    this.toggle = h("button", { class: "quiet", type: "button", "aria-pressed": "false",
      onclick: () => this.showArchived(!this.withArchived) });
    this.element = h("section", { class: "rooms", "aria-labelledby": "rooms-title" },
      h("div", { class: "sidebar-head" }, h("h2", { id: "rooms-title" }, t("rooms.title")), this.create.button),
      this.create.form, this.list, this.error, this.toggle);
  }

  /** @param {any[]} rooms what is listed, as the daemon says */
  show(rooms) {
    this.rooms = rooms;
    this.draw();
  }

  showArchived(wanted) {
    this.withArchived = wanted;
    this.toggle.setAttribute("aria-pressed", String(wanted));
    this.draw();
  }

  /** An archived room is in the list while it is asked for, or read. */
  draw() {
    const here = this.state.room?.roomId;
    const archived = this.rooms.filter((room) => room.archivedAt);
    const shown = this.rooms.filter((room) => this.withArchived || !room.archivedAt || room.roomId === here);
    redrawn(this.list, [shown, here], () => fill(this.list, shown.map((room) => this.row(room, here))));
    say(this.toggle, archived.length ? t("rooms.archived", { n: archived.length }) : "");
  }

  row(room, here) {
    const name = roomName(room);
    const link = h("a", { href: routeHash("room", room.roomId), title: name,
      "data-key": `room:${room.roomId}`, "aria-current": room.roomId === here ? "true" : null },
      h("span", { class: "room-name" }, name),
      h("span", { class: "room-about" }, room.active ? t("rooms.active") : dayName(room.createdAt),
        room.archivedAt ? ` · ${t("rooms.isArchived")}` : null));
    return h("li", { "data-room": room.roomId }, link, room.active ? null : this.hide(room));
  }

  hide(room) {
    const action = room.archivedAt ? "unarchive" : "archive";
    return actionButton(t(`rooms.${action}`), async () => {
      say(this.error, "");
      const changed = (await post(`/api/rooms/${encodeURIComponent(room.roomId)}/${action}`)).room;
      this.show(this.rooms.map((other) => (other.roomId === changed.roomId ? changed : other)));
    }, { title: t(`rooms.${action}.hint`), key: `hide:${room.roomId}`,
      onError: (error) => say(this.error, error.message) });
  }
}
