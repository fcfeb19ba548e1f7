// Draw what changed, however many events came, at the next frame; while texts stream no more often than they
// can be read, so that the processor is free for who types. A hidden tab has no frames.

const PACE_MS = 40;
const HIDDEN_FRAME_MS = 250;

export class Painter {
  /** @param {(keys: Set<string>, agents: boolean) => void} paint */
  constructor(paint) {
    this.paint = paint;
    this.drawnAt = -Infinity;
    this.rest();
  }

  rest() {
    this.keys = new Set();
    this.agents = false;
    this.scheduled = false;
  }

  /** @param {Iterable<string>} keys @param {boolean} agents whether agents changed too */
  changed(keys, agents) {
    for (const key of keys) this.keys.add(key);
    this.agents ||= agents;
    if (this.scheduled) return;
    this.scheduled = true;
    const wait = this.drawnAt + PACE_MS - performance.now();
    if (wait > 0) this.timer = setTimeout(() => this.soon(), wait);
    else this.soon();
  }

  soon() {
    this.frame = requestAnimationFrame(() => this.now());
    this.timer = setTimeout(() => this.now(), HIDDEN_FRAME_MS);
  }

  /** Draw what is not drawn yet, and nothing twice. */
  now() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    const { keys, agents } = this;
    this.rest();
    this.drawnAt = performance.now();
    this.paint(keys, agents);
  }
}
