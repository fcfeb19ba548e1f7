// Loading again what is shown, when something happened to it.

/** Runs `load` when asked, one run at a time; what is asked for meanwhile becomes one more run. */
export class Refresher {
  /** @param {() => Promise<void>} load its refusal goes to whoever asked */
  constructor(load) {
    this.load = load;
    this.running = null;
    this.again = false;
  }

  /** Resolves when what is loaded is at least as new as this call. */
  ask() {
    if (this.running) {
      this.again = true;
      return this.running;
    }
    this.running = this.run().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  async run() {
    do {
      this.again = false;
      await this.load();
    } while (this.again);
  }
}
