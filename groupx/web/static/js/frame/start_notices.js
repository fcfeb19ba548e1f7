// What the daemon says of its start, in the timeline at the place where it was, with links to the turns
// that the stop before it cut short: in one tab of this browser, and there again when it is loaded anew.

import { clockTime } from "../base/time.js";
import { routeHash } from "./router.js";
import { t } from "../words/index.js";

const KEY = "groupx.told";
const MAX_LINKS = 6;

/** A room was loaded: say what was not yet said of its start, and what this tab was told before it was loaded anew,
 * where its place is loaded. @param {any} bootstrap @param {import("../store/state.js").RoomState} state */
export function tellOfStart({ runtime, notices = [], room }, state) {
  if (!room.active || !notices.length) return;
  const wasTold = localStorage.getItem(KEY) === runtime.startedAt;
  if (!wasTold) tell(runtime, notices, state);
  else if (sessionStorage.getItem(KEY) === runtime.startedAt) {
    tell(runtime, notices.filter(({ afterSeq }) => state.hasLoaded(afterSeq)), state);
  }
}

/** The daemon that a loaded room lost has been started again. @param {any} bootstrap
 * @param {import("../store/state.js").RoomState} state */
export function tellOfRestart({ runtime, notices = [] }, state) {
  if (!notices.some(({ code }) => code === "restarted")) {
    state.notice(t("notice.restarted", { time: clockTime(runtime.startedAt) }));
  }
  tell(runtime, notices, state);
}

function tell({ startedAt }, notices, state) {
  localStorage.setItem(KEY, startedAt);
  sessionStorage.setItem(KEY, startedAt);
  for (const { code, message, facts, at, afterSeq } of notices) {
    const words = WORDS[code]?.(facts, at) ?? message;
    if (state.ownLines().some((line) => line.text === words && line.occurredAt === at)) continue;
    state.notice(words, turnLinks(facts.turns ?? [], state), { seq: afterSeq, occurredAt: at });
  }
}

const WORDS = {
  restarted: ({ counts }, at) => [t("notice.restarted", { time: clockTime(at) }),
    ...Object.entries(counts).map(([name, n]) => t(`notice.restarted.${name}`, { n }))].join(" "),
  upgraded: (facts) => t(facts.copy ? "notice.upgraded" : "notice.upgraded.noCopy", facts),
  config_readable: (facts) => t("notice.configReadable", facts),
};

/** Links to turns, each named by its agent. @param {{ turnId: string, targetActorId: string }[]} turns
 * @param {import("../store/state.js").RoomState} state */
export function turnLinks(turns, state) {
  return turns.slice(0, MAX_LINKS).map(({ turnId, targetActorId }) => ({
    href: routeHash("turn", turnId), text: t("notice.turnOf", { name: state.agentName(targetActorId) }),
  }));
}
