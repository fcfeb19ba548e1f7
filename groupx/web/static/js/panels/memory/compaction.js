// What a step of a compaction means. Pure.

/** Events after which the room's context is another one. */
export const ASIDE_EVENT = /^(context\.reset|context\.compaction\.(completed|failed)|message\.(created|withdrawn)|operator\.dispatch)$/;

/** Which compaction is spoken of: the answer to its beginning may come after its end. */
export class CompactionWatch {
  constructor() {
    /** @type {string | null} of which the stream spoke last */
    this.heard = null;
  }

  /** What an event of the stream means, as `compactionNow`. */
  event(event) {
    this.heard = event.body.compactionId;
    return compactionNow(event);
  }

  /** The same of the answer; null when the stream was quicker and knows more. */
  answer({ compactionId }) {
    if (compactionId === this.heard) return null;
    return compactionNow({ type: "context.compaction.started", body: { compactionId } });
  }
}

/** A `context.compaction.*` event → `{ running, word, values }`. */
export function compactionNow({ type, body }) {
  const step = type.slice("context.compaction.".length);
  const values = { pass: body.pass ?? 1, attempt: body.attempt ?? 1, code: body.errorCode ?? "" };
  const running = step === "started" || step === "retrying";
  const word = step === "started" && values.pass > 1 ? "context.step.pass" : `context.step.${step}`;
  return { running, word, values };
}
