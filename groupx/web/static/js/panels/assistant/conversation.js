// The side conversation as this page knows it. Pure.

/** States of the assistant in which a reply may grow or a message may move. */
const BUSY = new Set(["starting", "working", "cancelling"]);
const OPEN = new Set(["queued", "working"]);

export class Conversation {
  constructor() {
    this.standing = null;
    this.messages = [];
    this.previous = null;
    this.pending = [];
  }

  /** The newest page: it replaces what it covers, and says how open messages stand. */
  take({ messages, previousPage }) {
    const ids = new Set(messages.map((message) => message.messageId));
    const first = messages[0]?.messageId;
    const known = this.messages.findIndex((message) => message.messageId === first);
    const before = known > 0 ? this.messages.slice(0, known).filter((it) => !ids.has(it.messageId)) : [];
    if (!before.length) this.previous = previousPage;
    this.messages = [...before, ...messages];
    const commands = new Set(messages.map((message) => message.clientCommandId));
    this.pending = this.pending.filter((message) => !commands.has(message.clientCommandId));
  }

  /** A page before the oldest. */
  prepend({ messages, previousPage }) {
    this.messages = [...messages, ...this.messages];
    this.previous = previousPage;
  }

  /** What the user said is shown before the daemon has it. */
  saying(clientCommandId, content) {
    this.pending.push({ messageId: `pending:${clientCommandId}`, role: "user", content, clientCommandId,
      state: "sending" });
  }

  notSaid(clientCommandId) {
    this.pending = this.pending.filter((message) => message.clientCommandId !== clientCommandId);
  }

  get shown() {
    return [...this.messages, ...this.pending];
  }

  get off() {
    return !this.standing?.enabled || this.standing.state === "off";
  }

  /** Whether something may come without being asked for by this page. */
  get busy() {
    return Boolean(this.standing?.reply) || BUSY.has(this.standing?.state) ||
      this.messages.some((message) => OPEN.has(message.state));
  }

  /** Whether a standing tells of messages that are not shown as they are now. */
  outdatedBy({ state, reply }) {
    if (!this.standing || this.pending.length) return true;
    const working = this.messages.find((message) => OPEN.has(message.state))?.messageId ?? null;
    if (!reply && BUSY.has(state)) return false; // its program is starting, or ends the reply
    return working !== (reply?.messageId ?? null);
  }
}

/** What the assistant did in the room, newest first: of the entries that are loaded. */
export function deeds(events) {
  return events.filter((event) => event.actor.actorId === "user:assistant" && event.seq !== null)
    .sort((a, b) => b.seq - a.seq);
}
