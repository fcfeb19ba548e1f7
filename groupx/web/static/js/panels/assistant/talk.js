// One opening of the side conversation: it asks how the assistant stands, and follows a reply.

import { fill, h, place, say } from "../../base/dom.js";
import { fullReason } from "../../base/reasons.js";
import { routeHash } from "../../frame/router.js";
import { newCommandId } from "../../transport/api.js";
import { assistant } from "../../transport/assistant.js";
import { t } from "../../words/index.js";
import { ofOlderRoom } from "../older_room.js";
import { Refresher } from "../refresher.js";
import { SideComposer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { Deeds } from "./deeds.js";
import { examples } from "./examples.js";
import { RunningReply, SideMessage } from "./message.js";

const POLL_MS = 400;
const AFTER_ERROR_MS = 3000;

export class Talk {
  constructor(state) {
    this.state = state;
    this.conversation = new Conversation();
    this.items = new Map();
    /** @type {RunningReply | undefined} */
    this.running = undefined;
    this.commands = new Map();
    this.off = h("div", { class: "side-off", hidden: true });
    this.older = h("button", { class: "link", type: "button", hidden: true, onclick: () => this.loadOlder() },
      t("assistant.older"));
    this.list = h("div", { class: "side-messages", role: "log", "aria-label": t("assistant.log") },
      h("p", { class: "note" }, t("panel.loading")));
    this.deeds = new Deeds(state);
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.composer = new SideComposer({ send: (text) => this.send(text), stop: () => this.stop() });
    this.examples = examples((text) => this.composer.suggest(text));
    this.scroll = h("div", { class: "side-scroll", tabindex: "0" }, this.off, this.examples, this.older, this.list, this.error);
    this.root = h("div", { class: "side" }, ofOlderRoom(state, "assistant"), this.deeds.element, this.scroll, this.composer.element);
    this.refresher = new Refresher(() => this.load());
    this.visible = () => {
      if (!document.hidden) this.look();
    };
    document.addEventListener("visibilitychange", this.visible);
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.visible);
    this.closed = true;
  }

  async open() {
    await this.look();
    if (this.closed) return;
    this.scroll.scrollTop = this.scroll.scrollHeight;
    if (!this.conversation.off) this.composer.text.focus();
  }

  /** Ask how it stands, and for the messages if they moved; again soon while something runs. */
  async look() {
    clearTimeout(this.timer);
    let next = POLL_MS;
    try {
      await this.refresher.ask();
      say(this.error, "");
    } catch (error) {
      say(this.error, error.message);
      next = AFTER_ERROR_MS;
    }
    if (this.closed) return;
    this.draw();
    clearTimeout(this.timer);
    if (this.conversation.busy && !document.hidden) this.timer = setTimeout(() => this.look(), next);
  }

  async load() {
    const standing = await assistant.standing();
    if (this.conversation.outdatedBy(standing)) this.conversation.take(await assistant.messages());
    this.conversation.standing = standing;
  }

  async send(content) {
    const command = this.commands.get(content) ?? newCommandId();
    this.commands.set(content, command); // the same text after a doubtful answer is the same command
    this.conversation.saying(command, content);
    this.draw();
    try {
      await assistant.say(content, command);
    } catch (error) {
      this.conversation.notSaid(command);
      if (!error.uncertain) this.commands.delete(content);
      this.draw();
      throw error;
    }
    this.commands.delete(content);
    this.conversation.standing = null;
    await this.look();
  }

  async again({ content, clientCommandId }) {
    try {
      await assistant.say(content, clientCommandId);
    } catch (error) {
      say(this.error, error.message);
      return;
    }
    this.conversation.standing = null;
    await this.look();
  }

  async stop() {
    await assistant.cancel();
    await this.look();
  }

  async loadOlder() {
    const before = this.scroll.scrollHeight;
    try {
      this.conversation.prepend(await assistant.messages(this.conversation.previous.beforeId));
    } catch (error) {
      say(this.error, error.message);
      return;
    }
    this.draw();
    this.scroll.scrollTop += this.scroll.scrollHeight - before;
  }

  eventArrived(event) {
    if (event.type === "assistant.changed") this.look();
    if (event.actor?.actorId === "user:assistant") this.deeds.draw();
  }

  // --- drawing ------------------------------------------------------------------------------

  draw() {
    const { conversation: talk, scroll } = this;
    if (!talk.standing && !talk.pending.length) return;
    const near = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
    const name = talk.standing?.name ?? t("actor.assistant");
    this.running ??= new RunningReply(name);
    const shown = talk.shown.map((message) => this.item(message, name));
    place(this.list, [...shown, this.running.element]);
    this.running.update(talk.standing ?? { state: "working" });
    this.older.hidden = !talk.previous;
    this.examples.hidden = shown.length > 0 || talk.off;
    this.composer.update({ busy: talk.busy, off: Boolean(talk.standing) && talk.off });
    this.drawOff();
    this.deeds.draw();
    if (near) scroll.scrollTop = scroll.scrollHeight;
  }

  item(message, name) {
    let item = this.items.get(message.messageId);
    if (!item) {
      item = new SideMessage({ name, again: (it) => this.again(it) });
      this.items.set(message.messageId, item);
    }
    item.update(message);
    return item.element;
  }

  drawOff() {
    const { standing } = this.conversation;
    this.off.hidden = !standing || !this.conversation.off;
    if (this.off.hidden) return;
    const why = standing.lastError ? fullReason(standing.lastError.code, standing.lastError.message)
      : t(standing.enabled ? "assistant.offNow" : "assistant.none");
    fill(this.off, h("p", null, why), standing.enabled ? null : [h("p", { class: "note" }, t("assistant.what")),
      h("a", { class: "button", href: routeHash("setup") }, t("assistant.setup"))]);
  }
}
