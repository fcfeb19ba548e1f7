// A list of records that follows what happens: adding, rewriting, taking back, and what was before.

import { fill, h, place, say } from "../../base/dom.js";
import { records } from "../../transport/remembered.js";
import { t } from "../../words/index.js";
import { Refresher } from "../refresher.js";
import { RecordEditor } from "./editor.js";
import { RecordItem } from "./item.js";
import { recordId, supersededId } from "./kinds.js";

const PAGE = 50;
const MOST = 200;

/**
 * Options: `family` "memory" | "identity"; `title`; `hint` what it is, in a sentence; `none` what an
 * empty one says; `query()` filters; `blank` the fields of a new record beside kind and content (null:
 * nothing can be added); `fromFirst`: not shown at all before its first record; `onPage(answer)`
 * hears the newest page; `before()` loads what the list needs to be drawn; `above` an element over it; `order(records)` and `headingOf(record)` for lists in groups; `readOnly`.
 */
export class RecordList {
  constructor(state, options) {
    this.state = state;
    this.options = { order: (found) => found, headingOf: () => null, onPage: () => {}, before: async () => {}, ...options };
    this.items = new Map();
    this.headings = new Map();
    this.found = [];
    /** @type {any} the record that is gone to, wherever it stands */
    this.sought = null;
    this.nextBefore = null;
    this.history = h("input", { type: "checkbox", onchange: () => this.refresh() });
    this.add = h("button", { class: "button", type: "button", onclick: () => this.open() }, t("record.add"));
    this.add.hidden = !options.blank || options.readOnly;
    this.adding = h("div", { hidden: true });
    this.list = h("ul", { class: "records" });
    this.none = h("p", { class: "note" }, t("panel.loading"));
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.more = h("button", { class: "link", type: "button", hidden: true, onclick: () => this.older() }, t("more"));
    this.element = h("section", { class: "part" },
      h("div", { class: "part-head" }, h("h3", null, options.title),
        h("label", { class: "check note" }, this.history, t("record.history")), this.add),
      options.hint ? h("p", { class: "note" }, options.hint) : null,
      options.above, this.adding, this.error, this.list, this.none, this.more);
    this.element.hidden = options.fromFirst === true;
    this.refresher = new Refresher(() => this.load());
  }

  /** Load again what is shown. Never refuses: what went wrong is said in the list. */
  async refresh() {
    try {
      await this.refresher.ask();
      say(this.error, "");
    } catch (error) {
      say(this.error, error.message);
    }
  }

  async load() {
    const limit = Math.min(MOST, Math.max(PAGE, this.found.length));
    await this.options.before();
    const page = await this.read({ limit });
    this.options.onPage(page);
    await this.lookAfterSought(page.records);
    this.take(page, []);
  }

  /** Show this one too, whatever its status and however old; it is gone to once it is shown. */
  async seek(record) {
    this.sought = record;
    await this.refresh();
    this.items.get(recordId(record))?.reveal();
  }

  /** One that is not on this page stays as long as it is what it was when it was gone to. */
  async lookAfterSought(page) {
    const { sought } = this;
    const id = sought && recordId(sought);
    if (!id || page.some((record) => recordId(record) === id)) return;
    const { record } = await records.read(this.options.family, id);
    if (record.status !== sought.status) this.sought = null;
  }

  /** Above the others while it is not among them. */
  withSought() {
    const id = this.sought && recordId(this.sought);
    const isAmong = !id || this.found.some((record) => recordId(record) === id);
    return isAmong ? this.found : [this.sought, ...this.found];
  }

  async older() {
    try {
      this.take(await this.read({ limit: PAGE, before: this.nextBefore }), this.found);
    } catch (error) {
      say(this.error, error.message);
    }
  }

  read(page) {
    const show = this.history.checked ? "history" : null;
    return records.list(this.options.family, { ...this.options.query(), show, ...page });
  }

  take({ records: page, nextBefore = null }, before) {
    this.found = [...before, ...page];
    this.nextBefore = nextBefore;
    this.more.hidden = nextBefore === null;
    this.draw();
  }

  draw() {
    const shown = this.options.order(this.withSought());
    const wanted = [];
    let heading = null;
    for (const record of shown) {
      const now = this.options.headingOf(record);
      if (now !== heading && now !== null) wanted.push(this.heading(now));
      heading = now;
      wanted.push(this.item(record).element);
    }
    const left = this.forget(new Set(shown.map(recordId)), wanted);
    place(this.list, wanted);
    if (left) this.focusAfter(left);
    say(this.none, wanted.length ? "" : this.options.none);
    if (wanted.length) this.element.hidden = false;
  }

  heading(text) {
    if (!this.headings.has(text)) this.headings.set(text, h("li", { class: "records-heading" }, h("h4", null, text)));
    return this.headings.get(text);
  }

  item(record) {
    const { family, readOnly } = this.options;
    let item = this.items.get(recordId(record));
    if (!item) {
      const sought = this.sought !== null && recordId(this.sought) === recordId(record);
      item = new RecordItem({ family, state: this.state, readOnly, changed: () => this.refresh(), sought });
      this.items.set(recordId(record), item);
    }
    item.update(record);
    return item;
  }

  /** Drop what is gone; what is being edited stays at the top, and says so. The id of what held the
   * focus and is gone. */
  forget(present, wanted) {
    let left = null;
    for (const [id, item] of this.items) {
      if (present.has(id)) continue;
      if (item.busy) {
        item.orphaned();
        wanted.unshift(item.element);
      } else {
        if (item.element.contains(document.activeElement)) left = id;
        this.items.delete(id);
      }
    }
    return left;
  }

  /** The focus goes from a record that is gone to the one in its place, or to the list's head. */
  focusAfter(id) {
    const next = this.found.find((record) => supersededId(record) === id);
    const button = next && this.items.get(recordId(next)).element.querySelector('[data-key="edit"]');
    (button ?? (this.add.hidden ? this.history : this.add)).focus();
  }

  /**
   * Begin a new record; `content` and `sourceEventId` when it comes from a message.
   * @param {{ content?: string, sourceEventId?: string }} message
   */
  open({ content = "", sourceEventId } = {}) {
    const { family, blank, title } = this.options;
    const editor = new RecordEditor({
      about: `new:${JSON.stringify([family, blank, sourceEventId ?? null])}`, content, label: `${t("record.add")}: ${title}`,
      save: async (written, command) => {
        await records.add(family, { ...blank, ...written, sourceEventId }, command);
        await this.refresh();
      },
      done: () => this.close(),
    });
    fill(this.adding, editor.element);
    this.adding.hidden = false;
    this.add.hidden = true;
    editor.focus();
  }

  close() {
    this.adding.hidden = true;
    this.add.hidden = false;
    fill(this.adding);
    this.add.focus();
  }
}
