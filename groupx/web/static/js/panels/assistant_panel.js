// The side conversation with the room's assistant. Address: `#/assistant`.

import { fill, h, place, say } from "../base/dom.js";
import { clockTime } from "../base/time.js";
import { routeHash } from "../frame/router.js";
import { newCommandId } from "../transport/api.js";
import { assistant } from "../transport/assistant.js";
import { t } from "../words/index.js";
import { SideComposer } from "./assistant/composer.js";
import { Conversation, deeds } from "./assistant/conversation.js";
import { RunningReply, SideMessage } from "./assistant/message.js";

const POLL_MS = 400;
const DEEDS = 20;

export class AssistantPanel {
  constructor(state) {
    this.state = state;
    this.shown = null;
  }

  title() {
    return t("actor.assistant");
  }

  async draw(body) {
    this.shown = new ShownAssistant(this.state);
    fill(body, this.shown.root);
    await this.shown.open();
  }

  eventArrived(event) {
    this.shown?.eventArrived(event);
  }

  closed() {
    this.shown?.close();
    this.shown = null;
  }
}

class ShownAssistant {
  constructor(state) {
    this.state = state;
    this.talk = new Conversation();
    this.items = new Map();
    this.commands = new Map();
    this.off = h("div", { class: "side-off", hidden: true });
    this.older = h("button", { class: "link", type: "button", hidden: true, onclick: () => this.loadOlder() },
      t("assistant.older"));
    this.list = h("ol", { class: "side-messages", role: "log", "aria-label": t("assistant.log") },
      h("li", { class: "note" }, t("panel.loading")));
    this.deeds = h("details", { class: "fold deeds", hidden: true });
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.composer = new SideComposer({ send: (text) => this.send(text), stop: () => this.stop() });
    this.scroll = h("div", { class: "side-scroll", tabindex: "0" }, this.off, this.older, this.list, this.error);
    this.root = h("div", { class: "side" }, this.deeds, this.scroll, this.composer.element);
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
    if (!this.talk.off) this.composer.text.focus();
  }

  /** Ask how it stands, and for the messages if they moved; again soon while something runs. */
  async look() {
    clearTimeout(this.timer);
    try {
      const standing = await assistant.standing();
      if (this.talk.outdatedBy(standing)) this.talk.take(await assistant.messages());
      this.talk.standing = standing;
      say(this.error, "");
    } catch (error) {
      say(this.error, error.message);
    }
    if (this.closed) return;
    this.draw();
    if (this.talk.busy && !document.hidden) this.timer = setTimeout(() => this.look(), POLL_MS);
  }

  async send(content) {
    const command = this.commands.get(content) ?? newCommandId();
    this.commands.set(content, command); // the same text after a doubtful answer is the same command
    this.talk.saying(command, content);
    this.draw();
    try {
      await assistant.say(content, command);
    } catch (error) {
      this.talk.notSaid(command);
      if (!error.uncertain) this.commands.delete(content);
      this.draw();
      throw error;
    }
    this.commands.delete(content);
    this.talk.standing = null;
    await this.look();
  }

  async again({ content, clientCommandId }) {
    try {
      await assistant.say(content, clientCommandId);
    } catch (error) {
      say(this.error, error.message);
      return;
    }
    this.talk.standing = null;
    await this.look();
  }

  async stop() {
    await assistant.cancel();
    await this.look();
  }

  async loadOlder() {
    const before = this.scroll.scrollHeight;
    try {
      this.talk.prepend(await assistant.messages(this.talk.previous.beforeId));
    } catch (error) {
      say(this.error, error.message);
      return;
    }
    this.draw();
    this.scroll.scrollTop += this.scroll.scrollHeight - before;
  }

  eventArrived(event) {
    if (event.actor?.actorId === "user:assistant") this.drawDeeds();
  }

  // --- drawing ------------------------------------------------------------------------------

  draw() {
    const { talk, scroll } = this;
    if (!talk.standing && !talk.pending.length) return;
    const near = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
    const name = talk.standing?.name ?? t("actor.assistant");
    this.running ??= new RunningReply(name);
    const shown = talk.shown.map((message) => this.item(message, name));
    place(this.list, [...shown, this.running.element]);
    this.running.update(talk.standing ?? { state: "working" });
    this.older.hidden = !talk.previous;
    this.composer.update({ busy: talk.busy, off: Boolean(talk.standing) && talk.off });
    this.drawOff();
    this.drawDeeds();
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
    const { standing } = this.talk;
    this.off.hidden = !standing || !this.talk.off;
    if (this.off.hidden) return;
    const why = standing.lastError?.message ?? t(standing.enabled ? "assistant.offNow" : "assistant.none");
    fill(this.off, h("p", null, why), standing.enabled ? null : [h("p", { class: "note" }, t("assistant.what")),
      h("a", { class: "button", href: routeHash("setup") }, t("assistant.setup"))]);
  }

  drawDeeds() {
    const done = deeds([...this.state.entries.order].map((entry) => entry.event).filter(Boolean)).slice(0, DEEDS);
    this.deeds.hidden = !done.length;
    if (this.deeds.dataset.newest === done[0]?.eventId) return;
    this.deeds.dataset.newest = done[0]?.eventId ?? "";
    fill(this.deeds, h("summary", null, t("assistant.deeds", { n: done.length })),
      h("ul", null, done.map((event) => h("li", null, h("a", { href: `#${event.eventId}` },
        deedText(event)), " ", h("span", { class: "note" }, clockTime(event.occurredAt))))));
  }
}

function deedText({ type, body }) {
  const words = (body.content ?? body.record?.content ?? "").trim().replace(/\s+/g, " ").slice(0, 90);
  return words || type;
}
