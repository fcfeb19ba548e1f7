// What the timeline shows, in order: by seq, then what has none yet (running turns, messages
// on their way) by arrival. It may end before the newest: what comes beyond that end is not shown.

export class Entries {
  constructor() {
    this.byKey = new Map();
    this.order = [];
    this.arrived = 0;
    /** The last seq that is shown; Infinity: the newest, and what has no seq yet. */
    this.until = Infinity;
    /** What stands beyond the end and no page would bring again. */
    this.beyond = new Map();
  }

  get(key) {
    return this.byKey.get(key);
  }

  /** Shown, or kept for when the end is reached. */
  find(key) {
    return this.byKey.get(key) ?? this.beyond.get(key);
  }

  /** Add an entry, or move one whose seq has changed. */
  put(entry) {
    entry.arrival = this.find(entry.key)?.arrival ?? ++this.arrived;
    this.remove(entry.key);
    if (seqOf(entry) <= this.until) {
      this.byKey.set(entry.key, entry);
      this.order.splice(this.place(entry), 0, entry);
    } else if (!isPaged(entry)) {
      this.beyond.set(entry.key, entry);
    }
    return entry;
  }

  remove(key) {
    const known = this.byKey.get(key);
    if (known) this.order.splice(this.index(known), 1);
    this.byKey.delete(key);
    this.beyond.delete(key);
  }

  /** Let the timeline end at `until`; returns the entries that this shows or hides. */
  endAt(until) {
    this.until = until;
    const shown = [...this.beyond.values()].filter((entry) => seqOf(entry) <= until);
    const hidden = this.order.filter((entry) => seqOf(entry) > until);
    for (const entry of [...shown, ...hidden]) this.put(entry);
    return [...shown, ...hidden];
  }

  /** Forget the first `count`; returns them. */
  dropFirst(count) {
    const dropped = this.order.splice(0, count);
    for (const { key } of dropped) this.byKey.delete(key);
    return dropped;
  }

  /** All that no page would bring again. */
  get own() {
    return [...this.order.filter((entry) => !isPaged(entry)), ...this.beyond.values()];
  }

  before(entry) {
    return this.order[this.index(entry) - 1];
  }

  after(entry) {
    return this.order[this.index(entry) + 1];
  }

  index(entry) {
    const place = this.place(entry);
    return this.order[place] === entry ? place : this.order.indexOf(entry);
  }

  place(entry) {
    let low = 0;
    let high = this.order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.order[middle], entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function seqOf(entry) {
  return entry.seq ?? Infinity;
}

/** Whether a page of history brings it again. */
function isPaged(entry) {
  return Number.isInteger(entry.seq);
}

function compare(a, b) {
  const seqA = seqOf(a);
  const seqB = seqOf(b);
  return seqA === seqB ? a.arrival - b.arrival : seqA - seqB;
}
