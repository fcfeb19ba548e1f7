// Asks for what is typed: once it rests, only the newest question counts, and a page more on demand.
// No page and no words: it runs in node.

const REST_MS = 150;

/** `ask(query, cursor, signal)` gives `{ results, nextCursor?, indexing? }`. Calls `onChange(found)`
 * with `{ state: "empty" | "asking" | "found" | "failed", query, results, nextCursor, indexing, error }`. */
export class Finder {
  constructor(ask, onChange, wait = REST_MS) {
    this.ask = ask;
    this.onChange = onChange;
    this.wait = wait;
    /** @type {AbortController | null} */
    this.asking = null;
    this.timer = undefined;
    this.found = { state: "empty", query: "", results: [] };
  }

  /** The user typed; `now` does not wait for more. */
  typed(text, now = false) {
    const query = text.trim();
    if (query === this.found.query && this.found.state !== "failed") return;
    this.stop();
    if (!query) {
      this.become({ state: "empty", query, results: [] });
      return;
    }
    this.become({ ...this.found, state: "asking", query, error: undefined });
    this.timer = setTimeout(() => this.send(query, null, []), now ? 0 : this.wait);
  }

  more() {
    const { state, query, nextCursor, results } = this.found;
    if (state !== "found" || !nextCursor) return;
    this.become({ ...this.found, state: "asking" });
    this.send(query, nextCursor, results);
  }

  again() {
    const { query } = this.found;
    this.found = { ...this.found, query: "" };
    this.typed(query, true);
  }

  stop() {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.asking = null;
  }

  async send(query, cursor, before) {
    const asking = new AbortController();
    this.asking = asking;
    try {
      const answer = await this.ask(query, cursor, asking.signal);
      if (this.asking !== asking) return;
      this.become({ ...answer, state: "found", query, results: [...before, ...answer.results] });
    } catch (error) {
      if (this.asking === asking) this.become({ ...this.found, state: "failed", error });
    }
  }

  become(found) {
    this.found = found;
    this.onChange(found);
  }
}
