// What the timeline shows, in order: by seq, then what has none yet (running turns, messages
// on their way) by arrival.

export class Entries {
  constructor() {
    this.byKey = new Map();
    this.order = [];
    this.arrived = 0;
  }

  get(key) {
    return this.byKey.get(key);
  }

  /** Add an entry, or move one whose seq has changed. */
  put(entry) {
    const known = this.byKey.get(entry.key);
    if (known) this.order.splice(this.index(known), 1);
    entry.arrival = known?.arrival ?? ++this.arrived;
    this.byKey.set(entry.key, entry);
    this.order.splice(this.place(entry), 0, entry);
    return entry;
  }

  remove(key) {
    const known = this.byKey.get(key);
    if (!known) return;
    this.order.splice(this.index(known), 1);
    this.byKey.delete(key);
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

function compare(a, b) {
  const seqA = a.seq ?? Infinity;
  const seqB = b.seq ?? Infinity;
  return seqA === seqB ? a.arrival - b.arrival : seqA - seqB;
}
