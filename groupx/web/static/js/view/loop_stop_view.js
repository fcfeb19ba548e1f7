// A call between agents that a limit stopped: one folded row, and the button that lets it go on.

import { fill, h, redrawn } from "../base/dom.js";
import { has, t } from "../words/index.js";
import { commands } from "../transport/api.js";
import { clockTime } from "../base/time.js";
import { actionButton } from "./actions.js";
import { foldedText } from "./text.js";

export class LoopStopView {
  constructor(context) {
    this.context = context;
    this.row = h("div", { class: "stopped-call" });
    this.tools = h("div", { class: "message-actions" });
    this.element = h("div", { class: "line" }, this.row, this.tools);
  }

  update({ event, occurredAt }) {
    const { state } = this.context;
    redrawn(this.row, event.eventId, () => fill(this.row, this.fold(event, occurredAt)));
    const waits = event.parentTurnId !== null && !state.continued.has(event.eventId);
    redrawn(this.tools, waits, () => fill(this.tools, waits ? this.button(event) : null));
  }

  fold({ body }, occurredAt) {
    const { limit, bound, chain = [], refused = {} } = body;
    const name = (actorId) => (actorId === "@all" ? t("composer.all") : this.name(actorId));
    const path = chain.map(({ actorId }) => name(actorId)).join(" → ");
    const to = (refused.to ?? []).map(name).join(", ");
    const reached = has(`loop.limit.${limit}`) ? t(`loop.limit.${limit}`, { n: bound }) : `${limit}: ${bound}`;
    return h("details", { class: "fold" },
      h("summary", null, t("notice.routing.loop_stopped", { text: reached }),
        h("time", { datetime: occurredAt }, clockTime(occurredAt))),
      h("p", { class: "note" }, t("loop.chain", { path })),
      h("p", { class: "note" }, t("loop.call", { name: name(refused.actorId ?? "?"), to })),
      foldedText(refused.content ?? ""));
  }

  name(actorId) {
    return actorId === "system:groupx" ? "GroupX" : this.context.state.agentName(actorId);
  }

  button({ eventId, body }) {
    const { onError } = this.context;
    return actionButton(t("loop.continue"),
      () => commands.continueRoot(body.rootCorrelationId, eventId),
      { onError, key: "continue", title: t("loop.continueHint") });
  }
}
