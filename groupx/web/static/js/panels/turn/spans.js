// How long a turn waited, was on its way and was worked on. Pure.

/** A turn's detail → `[{ name, from, to }]` in order, ms; `to` of what still goes on is null. An
 * ended turn that never began has only the time it waited. */
export function spans({ turn, attempts }) {
  const at = (iso) => (iso ? Date.parse(iso) : null);
  /** @type {[string, number | null][]} */
  const every = [
    ["waited", at(turn.queuedAt)],
    ["sending", at(attempts.at(-1)?.claimedAt)],
    ["worked", at(turn.startedAt)],
  ];
  const marks = every.filter(([, from]) => from !== null);
  const end = at(turn.terminalAt);
  return marks.map(([name, from], index) => {
    const to = marks[index + 1]?.[1] ?? end;
    return { name, from, to: to === null ? null : Math.max(from, to) };
  });
}

/** Spans as shares of the whole, at `now` for what goes on. */
export function shares(parts, now) {
  const lengths = parts.map(({ from, to }) => Math.max(0, (to ?? now) - from));
  const whole = lengths.reduce((sum, length) => sum + length, 0) || 1;
  return parts.map(({ name }, index) => ({ name, share: lengths[index] / whole }));
}
