// One turn in full: why it exists, what happened to it, what it was told. Address: `#/turn/<turn id>`.

import { avatar, colourClass } from "../base/actors.js";
import { fill, h, redrawn, say } from "../base/dom.js";
import { original } from "../base/reasons.js";
import { elapsedElement } from "../base/time.js";
import { commands, get } from "../transport/api.js";
import { actionButton } from "../view/actions.js";
import { foldedText } from "../view/text.js";
import { retryOrContinue, whyText } from "../view/turn_state.js";
import { t } from "../words/index.js";
import { copyable, facts, section } from "./parts.js";
import { Refresher } from "./refresher.js";
import { attempts } from "./turn/attempts.js";
import { causes, effects } from "./turn/chain.js";
import { packet, usage } from "./turn/packet.js";
import { timings } from "./turn/timings.js";

export class TurnPanel {
  constructor(state) {
    this.state = state;
    this.shown = null;
  }

  title() {
    return t("details.title");
  }

  draw(body, [turnId]) {
    this.shown = new ShownTurn(this.state, turnId);
    fill(body, this.shown.root);
    return this.shown.refresh();
  }

  eventArrived({ type, seq, body, parentTurnId }) {
    if (seq === null || !type.startsWith("turn.") || !this.shown) return;
    const { turnId } = this.shown;
    if (body.turnId === turnId || parentTurnId === turnId || this.shown.hasChild(body.turnId)) {
      this.shown.refresh();
    }
  }

  closed() {
    this.shown = null;
  }
}

class ShownTurn {
  constructor(state, turnId) {
    this.state = state;
    this.turnId = turnId;
    this.detail = null;
    this.error = h("p", { class: "panel-error", role: "alert", hidden: true });
    this.content = h("div", { class: "panel-content" }, h("p", { class: "note" }, t("panel.loading")));
    this.root = h("div", { class: "panel-content" }, this.error, this.content);
    this.refresher = new Refresher(() => this.load());
  }

  hasChild(turnId) {
    return Boolean(this.detail?.children.some((child) => child.turnId === turnId));
  }

  async refresh() {
    try {
      await this.refresher.ask();
      say(this.error, "");
    } catch (error) {
      say(this.error, error.message);
      if (!this.detail) fill(this.content);
    }
  }

  async load() {
    this.detail = await get(`/api/turns/${encodeURIComponent(this.turnId)}`);
    redrawn(this.content, this.detail, () => fill(this.content, this.parts(this.detail)));
  }

  parts(detail) {
    return [
      this.head(detail),
      timings(detail),
      causes(detail, this.state),
      effects(detail, this.state),
      attempts(detail),
      packet(detail),
      usage(detail),
      detail.partialText ? section(t("details.partial"), null, foldedText(detail.partialText)) : null,
      ids(detail),
    ];
  }

  head({ turn, message, reason, stopReason }) {
    const name = this.state.agentName(turn.targetActorId);
    const why = whyText({ errorCode: turn.errorCode, message, reason, stopReason });
    const said = original(turn.errorCode, message);
    const bad = turn.status === "failed" || turn.status === "interrupted";
    const unknown = turn.terminalAt && turn.status !== "completed" && turn.deliveryCertainty === "unknown";
    return h("div", { class: "turn-summary" },
      avatar(turn.targetActorId, name),
      h("div", null,
        h("div", { class: `name ${colourClass(turn.targetActorId)}` }, name),
        h("div", { class: bad ? "bad-text" : "note" }, stopReason ? t("state.cutShort") : statusText(turn),
          turn.startedAt && !turn.terminalAt ? [" ", elapsedElement(turn.startedAt)] : null,
          turn.errorCode ? [" · ", h("code", null, turn.errorCode)] : null),
        why ? h("p", null, why) : null,
        said ? h("p", { class: "note", lang: "en" }, said) : null,
        unknown ? h("p", null, t("state.unknownHint")) : null,
        h("div", { class: "buttons" }, this.actions(turn))));
  }

  actions(turn) {
    const button = (name, run, hint) => actionButton(t(`turn.${name}`), async () => {
      say(this.error, "");
      await run();
      await this.refresh();
    }, { kind: "button", key: `do:${name}`, title: hint ? t(hint) : null,
      onError: (error) => say(this.error, error.message) });
    const answer = turn.responseEventId
      ? h("a", { class: "link", href: `#${turn.responseEventId}`, "data-key": "answer" }, t("details.toAnswer")) : null;
    if (turn.status === "queued") return button("cancel", () => commands.stop(turn.turnId));
    if (!turn.terminalAt) return button("stop", () => commands.stop(turn.turnId), "turn.stopHint");
    if (turn.status === "completed" || turn.role === "observer") return answer;
    return [retryOrContinue({ ...turn, certainty: turn.deliveryCertainty,
      deliveryUnknown: turn.deliveryCertainty === "unknown" }, button), answer];
  }
}

function statusText({ status, queuePosition }) {
  if (status !== "queued") return t(`state.${status}`);
  return queuePosition ? t("state.queued", { n: queuePosition }) : t("state.next");
}

function ids({ turn }) {
  return section(t("details.ids"), null, facts([
    ["details.turn", copyable(turn.turnId)],
    ["details.source", copyable(turn.sourceEventId)],
    ["details.response", turn.responseEventId ? copyable(turn.responseEventId) : null],
    ["details.root", copyable(turn.rootCorrelationId)],
    ["details.transport", turn.transport],
    ["details.hops", turn.hopCount ? String(turn.hopCount) : null],
  ]));
}
