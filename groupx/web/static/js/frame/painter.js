// Draw what changed once per frame, however many events came; a hidden tab has no frames.

const HIDDEN_FRAME_MS = 250;

export class Painter {
  /** @param {(keys: Set<string>, agents: boolean) => void} paint */
  constructor(paint) {
    this.paint = paint;
    this.keys = new Set();
    this.agents = false;
    this.scheduled = false;
  }

  changed(keys, agents) {
    for (const key of keys) this.keys.add(key);
    this.agents ||= agents;
    if (this.scheduled) return;
    this.scheduled = true;
    const run = () => {
      if (this.scheduled) this.now();
    };
    requestAnimationFrame(run);
    setTimeout(run, HIDDEN_FRAME_MS);
  }

  now() {
    const { keys, agents } = this;
    this.scheduled = false;
    this.keys = new Set();
    this.agents = false;
    this.paint(keys, agents);
  }
}
