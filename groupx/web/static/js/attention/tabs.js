// Several tabs of one room: one of them notifies, and none while any of them is looked at. Locks
// end with their tab, so nothing has to be tidied up.

const NOTIFIER = "groupx.notifier";
const LOOKING = "groupx.looking";

const isLookedAt = () => document.visibilityState === "visible" && document.hasFocus();

export class Tabs {
  constructor() {
    this.isNotifier = false;
    /** @type {(() => void) | null} */
    this.lookAway = null;
    if (!navigator.locks) return;
    navigator.locks.request(NOTIFIER, () => {
      this.isNotifier = true;
      return new Promise(() => {}); // held for as long as this tab lives
    });
    for (const name of ["focus", "blur"]) addEventListener(name, () => this.looked());
    document.addEventListener("visibilitychange", () => this.looked());
    this.looked();
  }

  looked() {
    if (!isLookedAt()) {
      this.lookAway?.();
      this.lookAway = null;
    } else if (!this.lookAway) {
      const away = new Promise((resolve) => (this.lookAway = () => resolve(null)));
      navigator.locks.request(LOOKING, { mode: "shared" }, () => away);
    }
  }

  /** Whether it is for this tab to say something now. */
  async mayNotify() {
    if (!this.isNotifier || isLookedAt()) return false;
    const { held } = await navigator.locks.query();
    return !held.some(({ name }) => name === LOOKING);
  }
}
