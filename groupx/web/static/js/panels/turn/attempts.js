// Every try at delivering a turn's prompt: how far it came, and how sure that is.

import { h } from "../../base/dom.js";
import { t } from "../../words/index.js";
import { copyable, facts, moment, number, section } from "../parts.js";

export function attempts({ attempts: tries, turn }) {
  if (!tries.length) {
    return section(t("details.attempts"), null,
      h("p", { class: "note" }, t(turn.terminalAt ? "details.neverTried" : "details.notTried")));
  }
  return tries.map((attempt, index) =>
    section(tries.length > 1 ? t("details.attempt", { n: index + 1 }) : t("details.attempts"), null,
      attemptFacts(attempt)));
}

function attemptFacts(attempt) {
  const { deliveryCertainty: certainty, reconciliation } = attempt;
  return facts([
    ["details.phase", t(`details.phase.${attempt.dispatchPhase}`)],
    ["details.certainty", h("span", { class: `certainty-${certainty}` }, t(`details.certainty.${certainty}`))],
    ["details.reconciliation", reconciliation ? t(`details.reconciliation.${reconciliation}`) : null],
    ["details.claimed", moment(attempt.claimedAt)],
    ["details.invoked", moment(attempt.promptInvokedAt)],
    ["details.started", moment(attempt.startedAt)],
    ["details.ended", moment(attempt.terminalAt)],
    ["details.through", t("details.seq", { n: number(attempt.contextThroughSeq) })],
    ["details.summaryThrough", attempt.summaryThroughSeq
      ? t("details.seq", { n: number(attempt.summaryThroughSeq) }) : null],
    ["details.attemptId", copyable(attempt.attemptId)],
    ["details.instanceId", copyable(attempt.instanceId)],
  ]);
}
