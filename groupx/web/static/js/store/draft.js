// What was written and not sent: per room and tab. Who got the last one: per room.

export class Draft {
  constructor(roomId) {
    this.roomId = roomId;
    this.textKey = `groupx.draft.${roomId}`;
    this.targetsKey = `groupx.targets.${roomId}`;
    this.replyKey = `groupx.reply.${roomId}`;
  }

  text() {
    return sessionStorage.getItem(this.textKey) ?? "";
  }

  keepText(text) {
    if (text) keep(sessionStorage, this.textKey, text);
    else sessionStorage.removeItem(this.textKey);
  }

  /** What the text answers or passes on: `{ eventId, name, excerpt, as }` or null. */
  reply() {
    try {
      return JSON.parse(sessionStorage.getItem(this.replyKey) ?? "null");
    } catch {
      return null;
    }
  }

  keepReply(answered) {
    if (answered) keep(sessionStorage, this.replyKey, JSON.stringify(answered));
    else sessionStorage.removeItem(this.replyKey);
  }

  targets() {
    try {
      const found = JSON.parse(sessionStorage.getItem(this.targetsKey) ??
        localStorage.getItem(this.targetsKey) ?? "[]");
      return Array.isArray(found) ? found.filter((item) => typeof item === "string") : [];
    } catch {
      return [];
    }
  }

  keepTargets(targets) {
    keep(sessionStorage, this.targetsKey, JSON.stringify(targets));
    keep(localStorage, this.targetsKey, JSON.stringify(targets));
  }
}

function keep(storage, key, value) {
  try {
    storage.setItem(key, value);
  } catch {
    // A full or forbidden storage only means that a reload forgets.
  }
}
