// One turn in full: what happened to it, attempt by attempt. Address: `#/turn/<turn id>`.

import { get } from "../transport/api.js";
import { h, fill } from "../base/dom.js";
import { t } from "../words/index.js";
import { textElement } from "../view/text.js";

export class TurnPanel {
  constructor(state) {
    this.state = state;
  }

  title() {
    return t("details.title");
  }

  async draw(body, [turnId]) {
    fill(body, this.content(await get(`/api/turns/${encodeURIComponent(turnId)}`)));
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
