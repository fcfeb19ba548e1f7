// The daemon's time: the clock of the browser's machine may be off by a day.

const TOLERATED_MS = 5_000; // a Date header counts whole seconds, and answers take a while

let skew = 0;

/** `date`: the Date header of an answer that has just come. */
export function heardDate(date) {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return;
  const off = theirs - Date.now();
  skew = Math.abs(off) > TOLERATED_MS ? off : 0;
}

/** Now, in ms, as the daemon would say. */
export function now() {
  return Date.now() + skew;
}

export function nowIso() {
  return new Date(now()).toISOString();
}
