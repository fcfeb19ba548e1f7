// Where the user writes: recipients as chips, text that survives a reload and every error.

import { ApiError, commands, newCommandId } from "../transport/api.js";
import { avatar, colourClass } from "../base/actors.js";
import { Completion, EVERYONE } from "./completion.js";
import { Draft } from "../store/draft.js";
import { Observers } from "./observers.js";
import { ReplyBar } from "./reply_bar.js";
import { isComposed } from "../base/composing.js";
import { nameOf } from "../view/quote.js";
import { h, fill, say } from "../base/dom.js";
import { t } from "../words/index.js";

const SHARES_LINE = 40; // characters beside the recipients
const GROWS_ITSELF = CSS.supports("field-sizing", "content");

export class Composer {
  constructor(root, context) {
    this.context = context;
    this.state = context.state;
    this.draft = new Draft(this.state.room.roomId);
    this.targets = this.draft.targets();
    this.editing = null;
    this.attempt = null;
    this.build(root);
    this.text.value = this.draft.text();
    this.drawTargets();
    this.grow();
    this.validate();
  }

  build(root) {
    this.chips = h("div", { class: "chips" });
    this.text = h("textarea", {
      class: "draft", rows: "1", placeholder: t("composer.placeholder"),
      "aria-label": t("composer.placeholder"), enterkeyhint: "send",
      oninput: () => this.typed(), onkeydown: (event) => this.key(event),
      onclick: () => this.completion.update(), onblur: () => this.completion.closeSoon(),
    });
    this.send = h("button", { class: "send", type: "button", onclick: () => this.submit(),
      title: `${t("composer.send")} (Enter)` }, t("composer.send"));
    this.editBar = h("div", { class: "edit-bar", hidden: true },
      h("span", null, t("composer.editing")),
      h("button", { class: "quiet", type: "button", onclick: () => this.stopEditing() },
        t("composer.cancelEdit")));
    this.replying = new ReplyBar(this.draft, () => this.text.focus());
    this.observers = new Observers(this.state);
    this.error = h("p", { class: "composer-error", role: "alert", hidden: true });
    this.hint = h("p", { class: "hint", hidden: true });
    this.completion = new Completion(this);
    this.line = h("div", { class: "compose-line" }, this.chips,
      h("div", { class: "write" }, this.text, this.send));
    fill(root, h("div", { class: "composer" }, this.completion.element, this.editBar,
      this.replying.element,
      this.line,
      this.error, this.hint));
  }

  /** Another takes its place. */
  close() {
    this.observers.close();
  }

  // --- recipients ---------------------------------------------------------------------------

  /** Who may be picked: id, name, and whether it is picked already. */
  choices() {
    const agents = this.state.addressable();
    const all = { actorId: EVERYONE, name: "all", label: t("composer.all"), hint: t("composer.allHint") };
    const named = agents.map((agent) => ({
      actorId: agent.actorId, name: agent.id, label: agent.name, hint: agent.driver,
    }));
    return (agents.length > 1 ? [all, ...named] : named)
      .filter((choice) => !this.targets.includes(choice.actorId));
  }

  addTarget(actorId) {
    const others = this.targets.filter((target) => target !== EVERYONE && target !== actorId);
    this.targets = actorId === EVERYONE ? [EVERYONE] : [...others, actorId];
    this.targetsChanged();
  }

  removeTarget(actorId) {
    this.targets = this.targets.filter((target) => target !== actorId);
    this.targetsChanged();
    this.text.focus();
  }

  targetsChanged() {
    this.draft.keepTargets(this.targets);
    this.drawTargets();
    this.validate();
  }

  /** Agents came or went: what can no longer be addressed is no longer a recipient. */
  rosterChanged() {
    const known = this.targets.filter((id) => id === EVERYONE || this.state.isAddressable(id));
    if (known.length !== this.targets.length) this.targets = known;
    const able = this.state.addressable();
    if (!this.targets.length && able.length === 1) this.targets = [able[0].actorId];
    const key = JSON.stringify([this.targets, able.map((agent) => agent.name)]);
    if (key === this.rosterKey) return;
    this.rosterKey = key;
    this.drawTargets();
    this.validate();
  }

  drawTargets() {
    const chips = this.targets.map((actorId) => {
      const name = actorId === EVERYONE ? t("composer.all") : this.state.agentName(actorId);
      const mark = actorId === EVERYONE ? h("span", { class: "at", "aria-hidden": "true" }, "@")
        : avatar(actorId, name);
      return h("span", { class: `chip ${colourClass(actorId)}`, "data-target": actorId }, mark,
        h("span", { class: "chip-name" }, name),
        h("button", { type: "button", "aria-label": t("composer.remove", { name }),
          onclick: () => this.removeTarget(actorId) }, "×"));
    });
    const add = h("button", { class: "add", type: "button", "aria-label": t("composer.add"),
      title: t("composer.add"), onmousedown: (event) => event.preventDefault(),
      onclick: () => this.completion.openAll() }, "+");
    fill(this.chips, h("span", { class: "to" }, t("composer.to")), chips,
      this.editing ? null : add, this.editing ? null : this.observers.element);
    this.observers.update(this.targets);
  }

  // --- writing ------------------------------------------------------------------------------

  typed() {
    if (!this.editing) this.draft.keepText(this.text.value);
    this.grow();
    this.validate();
    say(this.error, "");
    this.completion.update();
  }

  /** As high as its text; a browser that can do it by itself need not measure. A longer text has
   * the whole width. */
  grow() {
    const { value } = this.text;
    this.line.classList.toggle("long", value.length > SHARES_LINE || value.includes("\n"));
    if (GROWS_ITSELF) return;
    this.text.style.height = "auto";
    this.text.style.height = `${this.text.scrollHeight}px`;
  }

  key(event) {
    if (isComposed(event)) return;
    if (this.completion.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && this.editing) {
      this.stopEditing();
    } else if (event.key === "Escape" && this.replying.answered) {
      this.replying.keep(null);
    } else if (event.key === "Backspace" && !this.text.value && this.targets.length && !this.editing) {
      event.preventDefault();
      this.removeTarget(this.targets.at(-1));
    }
  }

  validate() {
    const { value } = this.text;
    const max = this.state.limits?.messageCharacters ?? Infinity;
    const said = value.trim() !== "";
    const missing = !this.targets.length && !this.editing;
    const over = value.length > max ? [...value].length - max : 0;
    say(this.hint, over > 0 ? t("composer.tooLong", { n: over, max })
      : said && missing ? t("composer.noTarget") : "");
    this.send.disabled = !said || missing || over > 0;
    return !this.send.disabled;
  }

  // --- sending ------------------------------------------------------------------------------

  async submit() {
    if (!this.validate()) {
      if (this.text.value.trim() && !this.targets.length) this.completion.openAll();
      return;
    }
    const content = this.text.value;
    const to = this.targets;
    const editing = this.editing;
    const more = this.more();
    const answered = this.replying.answered;
    const commandId = this.commandFor(JSON.stringify([content, to, editing?.eventId ?? null, more]));
    this.leaveText();
    if (!editing) this.replying.keep(null);
    if (!editing) this.state.sending(commandId, to, content);
    this.context.sentNow();
    try {
      const answer = editing
        ? await commands.replace(editing.eventId, content, commandId)
        : await commands.send(to, content, more, commandId);
      this.attempt = null;
      this.state.sent(commandId, answer.messageEventId);
    } catch (error) {
      this.state.sent(commandId, null);
      if (!editing) this.replying.keep(answered);
      this.refused(error, content, editing);
    }
  }

  /** What goes with a message beside its text and its recipients. */
  more() {
    const { supervision } = this.observers;
    return { ...this.replying.fields, ...(supervision ? { supervision } : {}) };
  }

  /** The next message answers this one, and goes to who said it. */
  reply(event) {
    if (this.editing) this.stopEditing();
    this.replying.take(event, nameOf(event.actor), "reply");
    this.writeTo(event.actor.actorId);
  }

  /** The next message goes to this one, if it can be spoken to. */
  writeTo(actorId) {
    if (this.editing) this.stopEditing();
    if (this.state.isAddressable(actorId)) {
      this.targets = [actorId];
      this.targetsChanged();
    }
    this.text.focus();
  }

  /** The next message passes this one on; who said it needs no copy. */
  forward(event) {
    if (this.editing) this.stopEditing();
    this.replying.take(event, nameOf(event.actor), "forward");
    this.targets = this.targets.filter((target) => target !== event.actor.actorId);
    this.targetsChanged();
    this.text.focus();
    if (!this.targets.length) this.completion.openAll();
  }

  /** The same text after an answer that never came is the same command. */
  commandFor(payload) {
    if (this.attempt?.payload !== payload) this.attempt = { payload, id: newCommandId() };
    return this.attempt.id;
  }

  leaveText() {
    this.text.value = "";
    this.editing = null;
    this.editBar.hidden = true;
    this.text.value = this.setAside ?? "";
    this.setAside = null;
    this.draft.keepText(this.text.value);
    say(this.error, "");
    this.drawTargets();
    this.grow();
    this.validate();
  }

  refused(error, content, editing) {
    if (!(error instanceof ApiError)) throw error;
    if (!error.uncertain) this.attempt = null;
    if (editing && error.code !== "TURN_NOT_QUEUED") this.edit(editing, content);
    else this.text.value = this.text.value.trim() ? `${content}\n${this.text.value}` : content;
    if (!this.editing) this.draft.keepText(this.text.value);
    say(this.error, error.message);
    this.grow();
    this.validate();
    this.text.focus();
  }

  // --- editing a queued message -------------------------------------------------------------

  edit(event, content = event.body.content) {
    this.setAside ??= this.text.value;
    this.editing = event;
    this.text.value = content;
    this.editBar.hidden = false;
    this.drawTargets();
    this.grow();
    this.validate();
    this.text.focus();
  }

  stopEditing() {
    this.leaveText();
    this.text.focus();
  }
}
