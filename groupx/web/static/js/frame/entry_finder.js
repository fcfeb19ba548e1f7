// Going to an entry: in the room that is shown, after loading the page around it; else in the room it is of.

import { intoSight } from "../base/dom.js";
import { get } from "../transport/api.js";
import { t } from "../words/index.js";

const FLASH_MS = 1600;

export class EntryFinder {
  /** @param {{ frame: HTMLElement, reach: (eventId: string) => Promise<void>, reveal: (eventId: string) => HTMLElement | null,
   *   say: (words: string) => void, onFound: () => void, onElsewhere: (roomId: string, eventId: string) => void }} parts
   * `frame` scrolls the entries; `reveal` unfolds one where it is one line. */
  constructor({ frame, reach, reveal, say, onFound, onElsewhere }) {
    this.frame = frame;
    this.reach = reach;
    this.reveal = reveal;
    this.say = say;
    this.onFound = onFound;
    this.onElsewhere = onElsewhere;
    /** @type {string | null} the one that was asked for last */
    this.goal = null;
  }

  /** `roomId`: the room that is shown. */
  async goTo(eventId, roomId) {
    this.goal = eventId;
    try {
      await this.reach(eventId);
    } catch (error) {
      const elsewhere = error.code === "NOT_FOUND" ? await roomOf(eventId) : null;
      if (this.goal !== eventId) return;
      if (elsewhere && elsewhere !== roomId) this.onElsewhere(elsewhere, eventId);
      else this.say(error.code === "NOT_FOUND" ? t("goto.missing") : error.message);
      return;
    }
    if (this.goal === eventId) this.show(this.reveal(eventId));
  }

  /** @param {HTMLElement | null} target */
  show(target) {
    if (!target) {
      this.say(t("goto.missing"));
      return;
    }
    this.onFound();
    intoSight(target, this.frame);
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), FLASH_MS);
  }
}

/** The room that an event is of; null for no such event. */
function roomOf(eventId) {
  return get(`/api/events/${encodeURIComponent(eventId)}`).then(({ event }) => event.roomId, () => null);
}
