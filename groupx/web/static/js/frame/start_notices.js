// What the daemon says of its start, in the timeline: once in this browser, with links to the turns
// that the stop before it cut short.

import { routeHash } from "./router.js";
import { t } from "../words/index.js";

const KEY = "groupx.told";
const MAX_LINKS = 6;

/** Whether this start was not yet spoken of; from now on it was. @param {{ startedAt: string }} runtime */
function firstTold({ startedAt }) {
  const isFirst = localStorage.getItem(KEY) !== startedAt;
  localStorage.setItem(KEY, startedAt);
  return isFirst;
}

/** @param {any} bootstrap @param {import("../store/state.js").RoomState} state */
export function tellOfStart({ runtime, notices = [], room }, state) {
  if (!room.active || !notices.length || !firstTold(runtime)) return;
  const cut = [...state.turns.byId.values()]
    .filter((turn) => turn.status === "interrupted" && turn.terminalAt >= runtime.startedAt);
  for (const { code, message } of notices) {
    state.notice(message, code === "restarted" ? turnLinks(cut, state) : []);
  }
}

/** Links to turns, each named by its agent. @param {{ turnId: string, target: string }[]} turns */
export function turnLinks(turns, state) {
  return turns.slice(0, MAX_LINKS).map(({ turnId, target }) => ({
    href: routeHash("turn", turnId), text: t("notice.turnOf", { name: state.agentName(target) }),
  }));
}
