// The room as this tab knows it. `load`, `prepend`, `subscribed` and `apply` take what the
// daemon says; `onChange(keys, agentsToo)` tells what to draw anew.

import { Entries } from "./entries.js";
import { Turns } from "./turns.js";

const QUIET = new Set([
  "session.starting", "session.ready", "session.resumed", "session.stopped", "message.withdrawn",
]);
const ASIDE = /^(memory|identity)\./;
const SUPERVISION = /^supervision\./;
/** So many entries are kept at most, and so many are left when there were more. */
export const MOST = 1500;
const LEFT = 1200;
const QUIET_TRANSIENT = /^(adapter\.heartbeat|context\.compaction\.)/;

export class RoomState {
  /**
   * @param {(keys: Set<string>, agentsToo: boolean) => void} onChange
   * @param {{ now?: () => string, newId?: () => string }} world the clock (ISO) and fresh ids
   */
  constructor(onChange, { now = () => "", newId = () => "" } = {}) {
    this.onChange = onChange;
    this.now = now;
    this.newId = newId;
    /** @type {Map<string, string>} the names of agents as they spoke */
    this.names = new Map();
    this.clear();
  }

  clear() {
    this.entries = new Entries();
    this.turns = new Turns();
    this.agents = new Map();
    this.events = new Map();
    this.html = new Map();
    this.withdrawn = new Map();
    this.continued = new Set();
    this.seq = 0;
    this.previous = null;
    this.dirty = new Set();
    this.agentsChanged = false;
  }

  load(bootstrap) {
    const ownLines = this.room?.roomId === bootstrap.room.roomId ? this.ownLines() : [];
    this.clear();
    for (const line of ownLines) this.touch(this.entries.put(line).key);
    this.room = bootstrap.room;
    this.rooms = bootstrap.rooms;
    this.runtime = bootstrap.runtime;
    this.limits = bootstrap.limits;
    for (const agent of bootstrap.agents) this.agents.set(agent.actorId, agent);
    this.agentsChanged = true;
    for (const sent of bootstrap.events) this.take(this.opened(sent));
    for (const view of bootstrap.activeTurns) this.takeSnapshot(view, bootstrap.throughSeq);
    this.previous = bootstrap.previousPage;
    this.seq = bootstrap.throughSeq;
    this.flush();
  }

  /** What only this page knows of: messages on their way, and its own lines. */
  ownLines() {
    return this.entries.own.filter(({ kind }) => kind === "pending" || kind === "local");
  }

  /** The id of an older room, for questions that are else about the active one; null in that. */
  get olderRoomId() {
    return this.room.active ? null : this.room.roomId;
  }

  /** Where the newer ones begin that are not loaded; null when the newest is. */
  get next() {
    return this.entries.until === Infinity ? null : { afterSeq: this.entries.until };
  }

  /** An older page of history. */
  prepend(page) {
    this.takePage(page);
    this.previous = page.previousPage;
    this.dropLast();
    this.flush();
  }

  /** The page after what is loaded. */
  append(page) {
    this.endAt(this.endOf(page));
    this.takePage(page);
    this.dropFirst();
    this.flush();
  }

  /** A page from elsewhere takes the place of what is loaded, or stands before it where they meet. */
  goTo(page) {
    if (this.meets(page)) {
      this.prepend(page);
      return;
    }
    const { order, own } = this.entries;
    this.entries = new Entries();
    this.entries.until = this.endOf(page);
    for (const entry of own) this.entries.put(entry);
    for (const entry of order) this.forget(entry);
    this.takePage(page);
    this.previous = page.previousPage;
    this.flush();
  }

  get isTooMuch() {
    return this.entries.order.length > MOST;
  }

  /** Let go of what is too much at this end, where nobody reads it. @param {"older" | "newer"} end */
  trim(end) {
    if (end === "older") this.dropFirst();
    else this.dropLast();
    this.flush();
  }

  meets({ nextPage }) {
    const first = this.previous?.beforeSeq;
    return first !== undefined && nextPage !== null && nextPage.afterSeq >= first - 1 &&
      nextPage.afterSeq <= this.entries.until;
  }

  takePage({ events, endings = [] }) {
    for (const sent of events) this.take(this.opened(sent));
    for (const event of endings) this.takeLifecycle(event);
  }

  /** Up to where this page leads; what the stream brought meanwhile is not in it. */
  endOf({ nextPage, throughSeq }) {
    if (nextPage) return nextPage.afterSeq;
    return this.seq > throughSeq ? throughSeq : Infinity;
  }

  endAt(until) {
    for (const entry of this.entries.endAt(until)) {
      if (this.entries.get(entry.key)) this.touch(entry.key);
      else this.forget(entry);
    }
  }

  /** When too much is loaded: let go of the newest, which a page brings again. */
  dropLast() {
    if (!this.isTooMuch) return;
    const { order } = this.entries;
    const last = order.slice(0, LEFT).findLast(({ seq }) => Number.isInteger(seq));
    if (last) this.endAt(last.seq);
  }

  /** When too much is loaded: let go of the oldest, which a page brings again. */
  dropFirst() {
    if (!this.isTooMuch) return;
    const { order } = this.entries;
    const first = order.slice(order.length - LEFT).find(({ seq }) => Number.isInteger(seq));
    if (!first) return;
    for (const entry of this.entries.dropFirst(this.entries.index(first))) this.forget(entry);
    this.previous = { beforeSeq: first.seq };
  }

  /** An entry is no longer loaded: neither is what only it shows. */
  forget({ key, event, turn }) {
    this.touch(key);
    if (event) this.forgetEvent(event);
    if (turn?.ended) turn.unload();
    for (const of of event ? this.turns.of(event.eventId) : []) this.forgetTurn(of);
    if (turn) this.forgetTurn(turn);
  }

  forgetEvent({ eventId }) {
    this.events.delete(eventId);
    this.html.delete(eventId);
  }

  /** A turn that ended is forgotten with the last entry that shows it: its bubble, or what it was asked by. */
  forgetTurn(turn) {
    const { sourceEventId } = turn;
    const isShown = this.entries.find(`turn:${turn.turnId}`) || this.entries.find(sourceEventId) || this.events.has(sourceEventId);
    if (turn.ended && !isShown) this.turns.drop(turn);
  }

  subscribed({ throughSeq, activeTurns, agents }) {
    for (const agent of agents) this.takeAgent(agent);
    this.takeRoster(agents);
    for (const view of activeTurns) this.takeSnapshot(view, throughSeq);
    this.flush();
  }

  /** These are all agents that there are; how one that is known stands, the stream says. */
  takeRoster(agents) {
    const before = this.agents;
    this.agents = new Map(agents.map((agent) => [agent.actorId, before.get(agent.actorId) ?? agent]));
    this.agentsChanged = true;
    this.flush();
  }

  /** One envelope of the stream; whether it was news. */
  apply(event) {
    if (event.seq !== null && event.seq <= this.seq) return false;
    this.take(event);
    if (event.seq !== null) this.seq = event.seq;
    this.flush();
    return true;
  }

  /** A message that is on its way to the daemon. */
  sending(commandId, to, content) {
    const occurredAt = this.now();
    this.entries.put({ key: `pending:${commandId}`, kind: "pending", commandId, to, content, occurredAt });
    this.touch(`pending:${commandId}`);
    this.flush();
  }

  /** It arrived as this event, or (null) it did not. */
  sent(commandId, eventId) {
    const key = `pending:${commandId}`;
    const pending = this.entries.find(key);
    if (!pending) return;
    if (eventId && !this.events.has(eventId)) {
      pending.eventId = eventId;
    } else {
      this.entries.remove(key);
      this.touch(key);
    }
    this.flush();
  }

  /** The answer to a cancel; the outcome comes as an event. */
  stopped({ turnId, status }) {
    if (status === "cancelling") this.takeCancelling(turnId);
    this.flush();
  }

  /** A line of this page's own; `links`: `{ href, text }` that stand behind it, `place`: after which event it stands. */
  notice(text, links = [], place = { seq: this.seq, occurredAt: this.now() }) {
    const key = `local:${this.newId()}`;
    this.entries.put({ key, kind: "local", seq: place.seq + 0.5, text, links, occurredAt: place.occurredAt });
    this.touch(key);
    this.flush();
  }

  /** Whether what stands behind this event is loaded, as far as the room goes. */
  hasLoaded(seq) {
    const first = this.entries.order.find((entry) => Number.isInteger(entry.seq));
    return !this.previous || (first !== undefined && first.seq <= seq);
  }

  /** The entry that shows this event. */
  entryOf(eventId) {
    const turnId = this.events.get(eventId)?.body.turnId;
    return this.entries.get(eventId) ?? (turnId ? this.entries.get(`turn:${turnId}`) : undefined);
  }

  /** The agents to whom something can be said. */
  addressable() {
    return [...this.agents.values()].filter((agent) => agent.enabled && agent.state !== "pending_restart");
  }

  isAddressable(actorId) {
    return this.addressable().some((agent) => agent.actorId === actorId);
  }

  agentName(actorId) {
    return this.agents.get(actorId)?.name ?? this.names.get(actorId) ?? actorId.replace(/^agent:/, "");
  }

  /** The envelope of what was sent; a message's HTML comes beside it. */
  opened(sent) {
    if (!sent.view) return sent;
    this.html.set(sent.event.eventId, sent.view.html);
    return sent.event;
  }

  // --- one event ---------------------------------------------------------------------------

  take(event) {
    const { type, body } = event;
    if (event.seq !== null && event.actor.kind === "agent") this.rememberName(event.actor);
    if (type === "message.created") this.takeMessage(event);
    else if (type === "turn.reasoning.recorded") this.takeReasoning(event);
    else if (type === "tool.progress.recorded" || type === "tool.progress") this.takeTool(event);
    else if (type === "turn.content.delta") this.touchBubble(this.turns.content(body));
    else if (type === "turn.reasoning.delta") this.touchBubble(this.turns.thought(body));
    else if (type === "turn.progress") this.takeProgress(body);
    else if (type === "agent.changed") this.takeAgent(body.agent);
    else if (type.startsWith("turn.") && event.seq !== null) this.takeLifecycle(event);
    else this.takeNotice(event);
    if (type === "message.withdrawn") this.takeWithdrawal(body);
    if (type === "routing.loop_continued") this.takeContinued(event);
    if (!this.entryOf(event.eventId)) this.forgetEvent(event);
  }

  rememberName(actor) {
    if (!this.names.has(actor.actorId)) this.names.set(actor.actorId, actor.displayName);
  }

  takeMessage(event) {
    this.events.set(event.eventId, event);
    const { turnId } = event.body;
    if (turnId && event.actor.kind === "agent") {
      const turn = this.turns.get(turnId);
      turn.target ??= event.actor.actorId;
      turn.responseEventId = event.eventId;
      turn.stopReason = event.body.stopReason;
      this.turnEntry(turn, event.seq, event);
      this.touchTurn(turn);
      return;
    }
    this.dropPending(event);
    this.entries.put({
      key: event.eventId, kind: "message", seq: event.seq, event, occurredAt: event.occurredAt,
    });
    this.touch(event.eventId);
  }

  dropPending(event) {
    if (event.actor.kind !== "user") return;
    const match = this.entries.own.find((entry) =>
      entry.kind === "pending" &&
      (entry.eventId ? entry.eventId === event.eventId : entry.content === event.body.content));
    if (!match) return;
    this.entries.remove(match.key);
    this.touch(match.key);
  }

  takeWithdrawal({ messageEventId, replacedByEventId }) {
    this.withdrawn.set(messageEventId, replacedByEventId ?? null);
    this.touch(messageEventId);
  }

  /** The call of this stop has been made. */
  takeContinued({ causationId }) {
    this.continued.add(causationId);
    this.touch(causationId);
  }

  takeReasoning({ body }) {
    const turn = this.turns.get(body.turnId);
    turn.reasoning = body.content;
    turn.reasoningCharacters = body.content.length;
    this.touchTurn(turn);
  }

  takeTool({ body }) {
    const turn = this.turns.get(body.turnId);
    this.turns.tool(turn, body);
    this.touchBubble(turn);
  }

  takeProgress({ turnId, phase }) {
    const turn = phase === "preparing" ? this.turns.prepared(turnId) : null;
    if (turn) this.touchTurn(turn);
  }

  takeLifecycle(event) {
    const turn = this.turns.lifecycle(event);
    this.showTurn(turn);
    this.touchQueue(turn.target);
    if (event.seq > this.entries.until) this.forgetTurn(turn); // the page with its end brings it again
  }

  takeSnapshot(view, throughSeq) {
    const turn = this.turns.snapshot(view, throughSeq);
    this.showTurn(turn);
    this.touchQueue(turn.target);
  }

  /** A turn has a bubble while it runs, and afterwards when it left something to say. */
  showTurn(turn) {
    const key = `turn:${turn.turnId}`;
    const known = this.entries.find(key);
    const failed = turn.status === "failed" || turn.status === "interrupted";
    if (known?.event) this.touch(key);
    else if (!turn.ended && turn.begun) this.turnEntry(turn, null);
    else if (turn.ended && turn.status !== "completed" && (failed || turn.begun)) {
      this.turnEntry(turn, turn.terminalSeq ?? null);
    } else if (known && turn.status !== "completed") {
      this.entries.remove(key);
      this.touch(key);
    }
    this.touchTurn(turn);
  }

  turnEntry(turn, seq, event) {
    const key = `turn:${turn.turnId}`;
    const occurredAt = event?.occurredAt ?? turn.terminalAt ?? turn.startedAt ?? turn.queuedAt;
    this.entries.put({ key, kind: "turn", seq, turn, event, occurredAt: occurredAt ?? this.now() });
    this.touch(key);
  }

  takeNotice(event) {
    const { type, seq } = event;
    if (seq === null || QUIET.has(type) || QUIET_TRANSIENT.test(type)) return;
    let kind = ASIDE.test(type) ? "aside" : "notice";
    if (event.body.record?.sourceKind === "automatic_rollup" && type !== "memory.retracted") kind = "diary";
    else if (type === "operator.dispatch") kind = "dispatch";
    else if (type === "routing.loop_stopped") kind = "stopped";
    else if (SUPERVISION.test(type)) kind = "supervision";
    this.entries.put({ key: event.eventId, kind, seq, event, occurredAt: event.occurredAt });
    this.touch(event.eventId);
  }

  takeAgent(agent) {
    this.agents.set(agent.actorId, agent);
    this.agentsChanged = true;
    if (agent.state === "cancelling") this.takeCancelling(agent.lane.activeTurnId);
    this.touchQueue(agent.actorId);
  }

  takeCancelling(turnId) {
    const turn = this.turns.cancelling(turnId);
    if (turn) this.touchTurn(turn);
  }

  // --- what to draw anew -------------------------------------------------------------------

  touch(key) {
    this.dirty.add(key);
  }

  touchBubble(turn) {
    this.dirty.add(`turn:${turn.turnId}`);
  }

  touchTurn(turn) {
    this.touchBubble(turn);
    if (turn.sourceEventId) this.dirty.add(turn.sourceEventId);
  }

  /** A step of one turn moves everyone who waits behind it. */
  touchQueue(actorId) {
    for (const turn of this.turns.waiting(actorId)) if (turn.status === "queued") this.touchTurn(turn);
  }

  flush() {
    if (!this.dirty.size && !this.agentsChanged) return;
    const { dirty, agentsChanged } = this;
    this.dirty = new Set();
    this.agentsChanged = false;
    this.onChange(dirty, agentsChanged);
  }
}
