// Why a turn exists, from the first cause to its own message, and what it caused. Each step leads on.

import { avatar, colourClass } from "../../base/actors.js";
import { h } from "../../base/dom.js";
import { routeHash } from "../../frame/router.js";
import { t } from "../../words/index.js";
import { section, whose } from "../parts.js";

/** The cause chain; `state` gives names. */
export function causes({ chain, turn }, state) {
  const mine = h("li", { class: "step step-end" },
    h("span", { class: `name ${colourClass(turn.targetActorId)}` }, state.agentName(turn.targetActorId)),
    ` ${t(`details.trigger.${turn.triggerKind}`)}`);
  return section(t("details.chain"), null,
    h("ol", { class: "chain" }, chain.map((link) => step(link, state)), mine));
}

function step({ turnId, eventId, actorId, via, excerpt }, state) {
  const name = whose(actorId, state);
  return h("li", { class: "step" },
    avatar(actorId, name),
    h("div", { class: "step-text" },
      h("div", null, h("span", { class: `name ${colourClass(actorId)}` }, name), ` ${t(`details.via.${via}`)}`),
      excerpt ? h("div", { class: "excerpt note" }, excerpt) : null,
      h("div", { class: "links" },
        h("a", { class: "link", href: `#${eventId}`, "data-key": `said:${eventId}` }, t("details.toMessage")),
        turnId ? h("a", { class: "link", href: routeHash("turn", turnId), "data-key": `turn:${turnId}` },
          t("details.toTurn")) : null)));
}

/** The turns that came out of it. */
export function effects({ children }, state) {
  if (!children.length) return null;
  return section(t("details.children", { n: children.length }), null,
    h("ul", { class: "children" }, children.map((child) => h("li", null,
      h("a", { class: "row-link", href: routeHash("turn", child.turnId), "data-key": `child:${child.turnId}` },
        h("span", { class: `dot ${colourClass(child.targetActorId)}`, "aria-hidden": "true" }),
        h("span", { class: `name ${colourClass(child.targetActorId)}` }, state.agentName(child.targetActorId)),
        h("span", { class: "note" }, childState(child)))))));
}

function childState({ status, queuePosition }) {
  if (status !== "queued") return t(`state.${status}`);
  return queuePosition ? t("state.queued", { n: queuePosition }) : t("state.next");
}
