// Up to where the room was read in this browser: what came later stands under a line.

export class ReadMark {
  /** `isAtEnd()`: whether the newest is in sight. */
  constructor(state, isAtEnd) {
    this.state = state;
    this.isAtEnd = isAtEnd;
    /** @type {number | null} the seq that was read last; null: never here */
    this.seq = null;
    /** What came later than this was seen to come. */
    this.until = 0;
    addEventListener("pagehide", () => this.keep());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.keep();
    });
  }

  get key() {
    return `groupx.read.${this.state.room.roomId}`;
  }

  /** The room was loaded: what is newer than at the last visit is new. */
  opened() {
    const kept = Number.parseInt(localStorage.getItem(this.key) ?? "", 10);
    this.seq = Number.isNaN(kept) ? null : kept;
    this.until = this.state.seq;
  }

  keep() {
    if (!this.state.room || !this.isAtEnd()) return;
    try {
      localStorage.setItem(this.key, String(this.state.seq));
    } catch {
      // A full or forbidden storage only means that the next visit has no line.
    }
  }

  /** Whether `entry`, with `before` above it, is the first that is new. */
  isFirstNew(entry, before) {
    if (this.seq === null || entry.seq === null || entry.seq === undefined) return false;
    return entry.seq > this.seq && entry.seq <= this.until && (before?.seq ?? Infinity) <= this.seq;
  }
}
