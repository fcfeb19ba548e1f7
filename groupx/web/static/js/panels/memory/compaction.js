// What a step of a compaction means. Pure.

/** Events after which the room's context is another one. */
export const ASIDE_EVENT = /^(context\.reset|context\.compaction\.(completed|failed|cancelled)|message\.(created|withdrawn)|operator\.dispatch)$/;

/** Which compaction is spoken of: the answer to its beginning may come after its end. */
export class CompactionWatch {
  constructor() {
    /** @type {string | null} of which was heard last */
    this.heard = null;
    this.running = false;
  }

  /** What an event of the stream means, as `compactionNow`. */
  event(event) {
    this.heard = event.body.compactionId;
    return this.now(compactionNow(event));
  }

  /** The same of the answer; null when the stream was quicker and knows more. */
  answer({ compactionId }) {
    if (compactionId === this.heard) return null;
    return this.now(compactionNow({ type: "context.compaction.started", body: { compactionId } }));
  }

  /** The same of `compaction` as the room's context has it; null when it tells nothing new. */
  read(last) {
    const { compactionId = null, state = "cancelled", passes, errorCode, message } = last ?? {};
    const isNews = state === "running" || this.running || (state === "failed" && compactionId !== this.heard);
    if (!isNews) return null;
    this.heard = compactionId;
    const step = state === "running" ? "started" : state;
    return this.now(compactionNow({ type: `context.compaction.${step}`, body: { pass: passes, errorCode }, message }));
  }

  now(now) {
    this.running = now.running;
    return now;
  }
}

/**
 * A `context.compaction.*` event → `{ running, word, values, message }`.
 * @param {{ type: string, body: any, message?: string }} event `message`: why it failed, where it is known
 */
export function compactionNow({ type, body, message = "" }) {
  const step = type.slice("context.compaction.".length);
  const values = { pass: body.pass ?? 1, attempt: body.attempt ?? 1, code: body.errorCode ?? "" };
  const running = step === "started" || step === "retrying";
  const word = step === "started" && values.pass > 1 ? "context.step.pass" : `context.step.${step}`;
  return { running, word, values, message };
}
