// What a step of a compaction means. Pure.

/** Events after which the room's context is another one. */
export const ASIDE_EVENT = /^(context\.reset|context\.compaction\.(completed|failed)|message\.(created|withdrawn)|operator\.dispatch)$/;

/** A `context.compaction.*` event → `{ running, word, values }`. */
export function compactionNow({ type, body }) {
  const step = type.slice("context.compaction.".length);
  const values = { pass: body.pass ?? 1, attempt: body.attempt ?? 1, code: body.errorCode ?? "" };
  const running = step === "started" || step === "retrying";
  const word = step === "started" && values.pass > 1 ? "context.step.pass" : `context.step.${step}`;
  return { running, word, values };
}
