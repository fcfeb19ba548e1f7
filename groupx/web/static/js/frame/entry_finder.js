// Going to an entry of the room that is shown, after loading the page around it.

import { t } from "../words/index.js";

const FLASH_MS = 1600;

export class EntryFinder {
  /** @param {{ reach: (eventId: string) => Promise<void>, say: (words: string) => void, onFound: () => void }} parts */
  constructor({ reach, say, onFound }) {
    this.reach = reach;
    this.say = say;
    this.onFound = onFound;
    /** @type {string | null} the one that was asked for last */
    this.goal = null;
  }

  async goTo(eventId) {
    this.goal = eventId;
    try {
      await this.reach(eventId);
    } catch (error) {
      if (this.goal === eventId) this.say(error.code === "NOT_FOUND" ? t("goto.missing") : error.message);
      return;
    }
    if (this.goal === eventId) this.show(document.getElementById(eventId));
  }

  /** @param {HTMLElement | null} target */
  show(target) {
    if (!target?.classList.contains("item")) {
      this.say(t("goto.missing"));
      return;
    }
    this.onFound();
    target.scrollIntoView({ block: "center" });
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), FLASH_MS);
  }
}
