// What is known of each turn. Events may come newest page first, and again after a snapshot:
// a fact counts only when its seq is newer than what the turn's state came from.

const STATUS_OF = {
  "turn.queued": "queued",
  "turn.dispatched": "dispatching",
  "turn.started": "running",
  "turn.completed": "completed",
  "turn.failed": "failed",
  "turn.cancelled": "cancelled",
  "turn.interrupted": "interrupted",
};

const TERMINAL = new Set(["completed", "failed", "cancelled", "interrupted"]);

export class Turn {
  constructor(turnId) {
    this.turnId = turnId;
    this.status = "queued";
    this.statusSeq = -1;
    this.text = "";
    this.chunks = 0;
    this.gap = false;
    this.preparing = false;
    this.reasoning = "";
    this.reasoningChunks = 0;
    this.reasoningCharacters = 0;
    this.tools = new Map();
    this.order = 0;
    /** @type {string | undefined} */
    this.startedAt = undefined;
    /** @type {number | undefined} how much it had written; said of interrupted ones only */
    this.partialCharacters = undefined;
    /** @type {string | undefined} why its answer is not whole */
    this.stopReason = undefined;
    /** @type {"unknown" | "delivered" | "not_delivered" | undefined} */
    this.certainty = undefined;
  }

  get ended() {
    return TERMINAL.has(this.status);
  }

  /** Whether an agent works, or worked, on it. */
  get begun() {
    return this.status !== "queued" && (this.status !== "cancelled" || this.startedAt);
  }

  /** Let go of what a page of history brings again. */
  unload() {
    this.text = "";
    this.reasoning = "";
    this.tools.clear();
  }

  get deliveryUnknown() {
    return this.ended && this.status !== "completed" && this.certainty === "unknown";
  }
}

export class Turns {
  constructor() {
    this.byId = new Map();
    this.bySource = new Map();
    this.open = new Set();
    this.arrived = 0;
  }

  get(turnId) {
    let turn = this.byId.get(turnId);
    if (!turn) {
      turn = new Turn(turnId);
      turn.order = ++this.arrived;
      this.byId.set(turnId, turn);
      this.open.add(turn);
    }
    return turn;
  }

  of(eventId) {
    return this.bySource.get(eventId) ?? [];
  }

  /** A snapshot of an open turn, true as of `throughSeq`. */
  snapshot(view, throughSeq) {
    const turn = this.get(view.turnId);
    this.attach(turn, view.sourceEventId, view.targetActorId);
    turn.role = view.role;
    turn.queuedAt = view.queuedAt;
    if (throughSeq >= turn.statusSeq && !turn.ended) {
      turn.status = view.status;
      turn.statusSeq = throughSeq;
      turn.startedAt ??= view.startedAt;
    }
    if (view.live) this.join(turn, view.live);
    return turn;
  }

  join(turn, live) {
    if (live.chunkIndex < turn.chunks) return;
    turn.text = live.text;
    turn.chunks = live.chunkIndex;
    turn.gap = false;
    turn.reasoningCharacters = Math.max(turn.reasoningCharacters, live.reasoningCharacters);
    for (const tool of live.tools) this.tool(turn, tool);
  }

  attach(turn, sourceEventId, targetActorId) {
    turn.target ??= targetActorId;
    if (turn.sourceEventId || !sourceEventId) return;
    turn.sourceEventId = sourceEventId;
    const siblings = this.bySource.get(sourceEventId) ?? [];
    siblings.push(turn);
    this.bySource.set(sourceEventId, siblings);
  }

  /** Forget a turn that ended. */
  drop(turn) {
    this.byId.delete(turn.turnId);
    const others = this.of(turn.sourceEventId).filter((other) => other !== turn);
    if (others.length) this.bySource.set(turn.sourceEventId, others);
    else this.bySource.delete(turn.sourceEventId);
  }

  /** One durable `turn.*` event. */
  lifecycle(event) {
    const status = STATUS_OF[event.type];
    const { body } = event;
    const turn = this.get(body.turnId);
    const byAgent = event.actor.kind === "agent" ? event.actor.actorId : undefined;
    this.attach(turn, body.sourceEventId, body.targetActorId ?? byAgent);
    if (status === "queued") {
      turn.queuedAt ??= event.occurredAt;
      turn.queuedSeq ??= event.seq;
    }
    if (status === "running") turn.startedAt = event.occurredAt;
    if (event.seq <= turn.statusSeq) return turn;
    turn.statusSeq = event.seq;
    if (!(status === "running" && turn.status === "cancelling")) turn.status = status;
    turn.preparing = false;
    if (turn.ended) {
      this.open.delete(turn);
      Object.assign(turn, {
        terminalSeq: event.seq,
        terminalAt: event.occurredAt,
        errorCode: body.errorCode,
        message: body.message,
        reason: body.reason,
        certainty: body.deliveryCertainty,
        partialCharacters: body.partialCharacters,
        interaction: body.interaction,
        responseEventId: body.responseEventId ?? turn.responseEventId,
      });
    }
    return turn;
  }

  /** A turn whose packet is put together; where the room is compacted first, that takes its time. */
  prepared(turnId) {
    const turn = this.byId.get(turnId);
    if (turn?.status !== "queued") return null;
    turn.preparing = true;
    return turn;
  }

  /** A cancel has no event of its own: it is seen by its answer, or by what its agent does. */
  cancelling(turnId) {
    const turn = this.byId.get(turnId);
    if (!turn || turn.ended || turn.status === "queued") return null;
    turn.status = "cancelling";
    return turn;
  }

  content({ turnId, chunkIndex, text }) {
    const turn = this.get(turnId);
    if (chunkIndex < turn.chunks || turn.ended) return turn;
    turn.gap ||= chunkIndex > turn.chunks;
    turn.chunks = chunkIndex + 1;
    turn.text += text;
    return turn;
  }

  thought({ turnId, chunkIndex, text }) {
    const turn = this.get(turnId);
    if (chunkIndex < turn.reasoningChunks || turn.ended) return turn;
    turn.reasoningChunks = chunkIndex + 1;
    turn.reasoning += text;
    turn.reasoningCharacters = Math.max(turn.reasoningCharacters, turn.reasoning.length);
    return turn;
  }

  /** A tool's step, live or recorded: the same call is the same line, and its end is the last word. */
  tool(turn, { nativeType, toolCallId, details }) {
    const key = toolCallId ?? `${nativeType}:${turn.tools.size}`;
    const known = turn.tools.get(key);
    if (nativeType === "tool.completed") turn.tools.set(key, { ...known, ...details, done: true });
    else if (known?.done) turn.tools.set(key, { ...details, ...known });
    else turn.tools.set(key, { ...known, ...details, done: false });
  }

  /** The open turns of one lane. */
  *waiting(actorId) {
    for (const turn of this.open) if (turn.target === actorId) yield turn;
  }

  /** How many turns run or wait before this queued one in its lane. */
  ahead(turn) {
    let count = 0;
    for (const other of this.waiting(turn.target)) {
      if (other === turn) continue;
      if (other.status !== "queued" || other.order < turn.order) count++;
    }
    return count;
  }
}
