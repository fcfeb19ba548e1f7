// A turn's time as a bar: waited, on its way, worked on.

import { now } from "../../base/clock.js";
import { h } from "../../base/dom.js";
import { duration, elapsedElement } from "../../base/time.js";
import { t } from "../../words/index.js";
import { bar } from "../bar.js";
import { facts, moment, section } from "../parts.js";
import { shares, spans } from "./spans.js";

const TONES = { waited: "dim", sending: "warn", worked: "busy" };

export function timings(detail) {
  const parts = spans(detail);
  const widths = shares(parts, now()).map(({ name, share }) => ({ share, tone: TONES[name] }));
  const { turn, receipt } = detail;
  return section(t("details.times"), null,
    bar(widths),
    h("ul", { class: "legend" }, parts.map(({ name, from, to }) => h("li", null,
      h("span", { class: `swatch bar-${TONES[name]}`, "aria-hidden": "true" }),
      `${t(`details.span.${name}`)} `,
      to === null ? elapsedElement(new Date(from).toISOString()) : lasting(to - from)))),
    facts([
      ["details.queued", moment(turn.queuedAt)],
      ["details.recorded", receipt && receipt.recordedAt !== turn.queuedAt ? moment(receipt.recordedAt) : null],
      ["details.started", moment(turn.startedAt)],
      ["details.ended", moment(turn.terminalAt)],
    ]));
}

/** Short spans in ms, or to the tenth of a second. */
export function lasting(ms) {
  if (ms < 1000) return t("details.milliseconds", { n: ms });
  if (ms >= 10_000) return duration(ms);
  return t("details.seconds", { n: (ms / 1000).toFixed(1) });
}
