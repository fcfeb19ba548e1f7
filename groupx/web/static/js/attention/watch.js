// Which turns deserve a word while nobody looks: those that failed, that seem stuck, that are done.
// No page and no words: it runs in node.

const STUCK_MS = 5 * 60_000;
const SIGNS = new Set(["turn.started", "turn.content.delta", "turn.reasoning.delta", "turn.progress", "tool.progress"]);
const ENDS = { "turn.failed": "failed", "turn.interrupted": "failed", "turn.completed": "done", "turn.cancelled": null };

export class TurnWatch {
  /** @param {() => number} now milliseconds */
  constructor(now = Date.now) {
    this.now = now;
    /** When each running turn was last heard of. @type {Map<string, number>} */
    this.heardAt = new Map();
  }

  /** `{ kind: "failed" | "done", turnId }` when this event ends a turn in such a way. */
  heard({ type, body }) {
    const { turnId } = body;
    if (SIGNS.has(type) && turnId) this.heardAt.set(turnId, this.now());
    if (!(type in ENDS)) return null;
    this.heardAt.delete(turnId);
    return ENDS[type] && { kind: ENDS[type], turnId };
  }

  /** The turns that gave no sign for too long; each once. */
  stuck() {
    const silent = [...this.heardAt].filter(([, at]) => this.now() - at >= STUCK_MS).map(([turnId]) => turnId);
    for (const turnId of silent) this.heardAt.delete(turnId);
    return silent;
  }
}
