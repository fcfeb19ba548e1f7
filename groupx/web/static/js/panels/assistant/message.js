// One message of the side conversation, and the reply that is being given.

import { avatar } from "../../base/actors.js";
import { fill, h, redrawn } from "../../base/dom.js";
import { fullReason } from "../../base/reasons.js";
import { datedElement } from "../../base/time.js";
import { finished } from "../../view/rendered.js";
import { GrowingText } from "../../view/text.js";
import { t } from "../../words/index.js";

export class SideMessage {
  /** `again(message)` sends a message once more that got no reply. */
  constructor({ name, again }) {
    this.name = name;
    this.again = again;
    this.body = h("div", { class: "side-body" });
    this.element = h("article", { class: "side-message" }, this.body);
  }

  update(message) {
    this.element.classList.toggle("side-mine", message.role === "user");
    redrawn(this.body, message, () => fill(this.body, this.parts(message)));
  }

  parts(message) {
    const mine = message.role === "user";
    return [
      h("div", { class: "side-head" }, mine ? null : avatar("user:assistant", this.name),
        h("span", { class: "name" }, mine ? t("actor.you") : this.name),
        message.createdAt ? datedElement(message.createdAt) : null),
      h("div", { class: "side-text" }, finished(message.content, message.view?.html)),
      mine ? this.standing(message) : null,
    ];
  }

  standing({ state, error, ...message }) {
    if (state === "answered" || state === "working") return null;
    const lost = state === "failed" || state === "unanswered" || state === "cancelled";
    return h("div", { class: `side-state ${state === "failed" ? "bad-text" : "note"}` },
      h("span", null, t(`assistant.message.${state}`)),
      error ? h("span", { title: error.code }, ` ${fullReason(error.code, error.message)}`) : null,
      lost && message.clientCommandId ? h("button", { class: "quiet", type: "button", "data-key": "again",
        onclick: () => this.again(message) }, t("turn.retry")) : null);
  }
}

/** The reply while it is given: its text grows, and its tools are counted. */
export class RunningReply {
  constructor(name) {
    this.text = new GrowingText();
    this.doing = h("div", { class: "note" });
    this.element = h("article", { class: "side-message", "aria-busy": "true", hidden: true },
      h("div", { class: "side-head" }, avatar("user:assistant", name), h("span", { class: "name" }, name),
        h("span", { class: "pulse", "aria-hidden": "true" })),
      h("div", { class: "side-text" }, this.text.element), this.doing);
  }

  update(standing) {
    const { reply, state } = standing;
    const waits = state === "starting" || state === "working" || state === "cancelling";
    this.element.hidden = !reply && !waits;
    this.text.set(reply?.text ?? "");
    const open = (reply?.tools ?? []).filter((tool) => tool.nativeType !== "tool.completed").at(-1);
    this.doing.textContent = open?.details?.name ? t("assistant.tool", { name: open.details.name })
      : reply?.text ? "" : t(`assistant.state.${state}`);
  }
}
