// One turn in full: what happened to it, attempt by attempt.

import { get } from "./api.js";
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { textElement } from "./view/text.js";

export class TurnDetails {
  constructor(state) {
    this.state = state;
    this.body = h("div", { class: "dialog-body" });
    this.dialog = h("dialog", { class: "turn-details", "aria-label": t("details.title") },
      h("div", { class: "dialog-head" }, h("h2", null, t("details.title")),
        h("button", { class: "quiet", type: "button", onclick: () => this.dialog.close() }, t("close"))),
      this.body);
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  async open(turnId) {
    fill(this.body, t("loading"));
    this.dialog.showModal();
    try {
      fill(this.body, this.content(await get(`/api/turns/${encodeURIComponent(turnId)}`)));
    } catch (error) {
      fill(this.body, h("p", { class: "note" }, error.message));
    }
  }

  content({ turn, attempts = [], partialText }) {
    const known = this.state.turns.byId.get(turn.turnId);
    return [
      facts([
        ["details.target", this.state.agentName(turn.targetActorId)],
        ["details.status", t(`state.${turn.status}`)],
        ["details.code", turn.errorCode],
        ["details.certainty", turn.deliveryCertainty],
        ["details.queued", moment(turn.queuedAt)],
        ["details.started", moment(turn.startedAt)],
        ["details.ended", moment(turn.terminalAt)],
        ["details.hops", turn.hopCount || null],
        ["details.turn", turn.turnId],
      ]),
      known?.message ? h("p", null, known.message) : null,
      attempts.map((attempt, index) => [
        h("h3", null, t("details.attempt", { n: index + 1 })),
        facts([
          ["details.phase", attempt.dispatchPhase],
          ["details.certainty", attempt.deliveryCertainty],
          ["details.started", moment(attempt.startedAt)],
          ["details.ended", moment(attempt.terminalAt)],
        ]),
      ]),
      partialText ? [h("h3", null, t("details.partial")), textElement(partialText)] : null,
    ];
  }
}

function moment(iso) {
  return iso ? new Date(iso).toLocaleString(document.documentElement.lang) : null;
}

function facts(rows) {
  return h("dl", null, rows.filter(([, value]) => value).map(([key, value]) =>
    [h("dt", null, t(key)), h("dd", null, String(value))]));
}
