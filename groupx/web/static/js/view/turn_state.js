// One line per target under a message: where its turn stands, and the one thing to do about it.

import { fill, h, redrawn } from "../base/dom.js";
import { reason } from "../base/reasons.js";
import { elapsedElement } from "../base/time.js";
import { routeHash } from "../frame/router.js";
import { has, t } from "../words/index.js";
import { colourClass } from "../base/actors.js";
import { commands } from "../transport/api.js";
import { actionButton } from "./actions.js";
import { turnLink } from "./links.js";

/** Words for a turn's state. */
export function stateText(turn, state) {
  if (turn.deliveryUnknown) return t("state.unknown");
  if (turn.status === "completed" && turn.stopReason) return t("state.cutShort");
  if (turn.status !== "queued") return t(`state.${turn.status}`);
  const agent = state.agents.get(turn.target);
  if (agent?.state === "stopped") return t("state.queuedStopped", { name: agent.name });
  if (agent?.paused) return t("state.queuedPaused");
  const ahead = state.turns.ahead(turn);
  if (ahead) return t("state.queued", { n: ahead });
  return t(turn.preparing ? "state.preparing" : "state.next");
}

/** Why an answer is not whole; empty when it is. */
export function cutText(stopReason) {
  if (!stopReason) return "";
  const key = `stop.${stopReason}`;
  return has(key) ? t(key) : t("stop.other", { reason: stopReason });
}

function tone(turn) {
  if (turn.status === "completed" && turn.stopReason) return "warn";
  if (turn.status === "completed") return "good";
  if (turn.status === "failed" || turn.status === "interrupted") return "bad";
  return turn.ended || turn.status === "queued" ? "dim" : "busy";
}

/** Why it ended as it did, in one sentence; empty when there is nothing to add. */
export function whyText(turn) {
  if (turn.message || turn.errorCode) return reason(turn.errorCode, turn.message);
  const key = `reason.${turn.reason}`;
  return has(key) ? t(key) : turn.reason ?? "";
}

/** Draw the states of `turns` into `box`; `bare` leaves the actions out. */
export function drawTargets(box, turns, context, bare = false) {
  const { state } = context;
  const shows = turns.map((turn) => [turn.turnId, turn.status, turn.startedAt, turn.certainty,
    turn.responseEventId, state.agentName(turn.target ?? ""), stateText(turn, state), whyText(turn)]);
  redrawn(box, [bare, ...shows], () => fill(box, turns.length
    ? h("ul", { class: "targets" }, turns.map((turn) => targetState(turn, context, bare)))
    : null));
}

function targetState(turn, context, bare) {
  const { state } = context;
  const running = !turn.ended && turn.status !== "queued" && turn.startedAt;
  const why = turn.ended ? whyText(turn) : "";
  const hint = turn.deliveryUnknown ? t("state.unknownHint") : null;
  return h("li", { class: `target ${tone(turn)}`, "data-turn": turn.turnId },
    h("span", { class: `dot ${colourClass(turn.target ?? "")}`, "aria-hidden": "true" }),
    h("span", { class: `target-name ${colourClass(turn.target ?? "")}` }, state.agentName(turn.target ?? "")),
    h("a", { class: "target-state", title: hint, href: routeHash("turn", turn.turnId),
      "data-key": `${turn.turnId}:state` }, stateText(turn, state)),
    running ? elapsedElement(turn.startedAt) : null,
    why ? h("span", { class: "why", title: why }, why) : null,
    bare ? null : targetAction(turn, context));
}

/** The one plain thing to do; where the agent may have got the prompt that is to look first. */
function targetAction(turn, context) {
  const { onError } = context;
  const button = (name, run, hint) =>
    actionButton(t(`turn.${name}`), run, {
      title: hint ? t(hint) : null, onError, key: `${turn.turnId}:${name}`,
    });
  if (turn.status === "completed") {
    return h("a", { class: "quiet", href: `#${turn.responseEventId}` }, t("turn.jump"));
  }
  if (turn.status === "queued") return button("cancel", () => commands.stop(turn.turnId));
  if (!turn.ended) return null;
  return turn.deliveryUnknown ? turnLink(turn.turnId) : retryOrContinue(turn, button);
}

/** What may have been done in part is continued, what surely was not is sent again. */
export function retryOrContinue(turn, button) {
  if (canContinue(turn)) return button("continue", () => commands.continue(turn.turnId));
  return retry(turn, button);
}

/** Whether its agent may have done a part of it. */
export function canContinue({ status, certainty }) {
  return status === "interrupted" && certainty === "delivered";
}

export function retry(turn, button) {
  return button("retry", () => commands.retry(turn.turnId),
    turn.deliveryUnknown || canContinue(turn) ? "turn.retryHint" : null);
}
