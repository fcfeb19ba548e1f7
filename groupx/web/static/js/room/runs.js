// Entries of one kind that stand one after another, and are shown as one.

/** The run that `entry` is in, in order. `goesOn(entry, before)`: whether both are of one run.
 * @template T @param {T} entry @param {{ before(entry: T): T | undefined, after(entry: T): T | undefined }} entries
 * @param {(entry: T, before: T) => boolean} goesOn @returns {T[]} */
export function runOf(entry, entries, goesOn) {
  const run = [entry];
  for (let first = entry, before = entries.before(first); before && goesOn(first, before); before = entries.before(first)) {
    run.unshift(before);
    first = before;
  }
  for (let last = entry, after = entries.after(last); after && goesOn(after, last); after = entries.after(last)) {
    run.push(after);
    last = after;
  }
  return run;
}
