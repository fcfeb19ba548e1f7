// Following the room: what its stream brings, and what happened while it was cut.

import { get } from "../transport/api.js";
import { RoomStream } from "../transport/stream.js";
import { clockTime } from "../base/time.js";
import { tellOfRestart, turnLinks } from "./start_notices.js";
import { t } from "../words/index.js";

/** Calls `onEvent(envelope)` for what the room's state has taken, `onBootstrap(answer)` after a gap or a change of
 * rooms, and `onStale()` when what is shown has to be loaded anew. */
export class Follower {
  constructor({ state, connection, onEvent, onBootstrap, onStale }) {
    this.state = state;
    this.connection = connection;
    this.onEvent = onEvent;
    this.onBootstrap = onBootstrap;
    this.onStale = onStale;
    /** @type {RoomStream | null} */
    this.stream = null;
    this.lost = null;
    /** Whether what the stream brings no longer goes on from what is shown. */
    this.isStale = false;
  }

  open() {
    this.close();
    const stream = new RoomStream({
      roomId: this.state.room.roomId,
      cursor: () => this.state.seq,
      onState: (now) => this.connection.show(now, () => stream.retryNow()),
      onSubscribed: (answer, first) => this.subscribed(answer, first),
      onEvent: (sent) => this.received(this.state.opened(sent)),
    });
    this.stream = stream;
    stream.open();
  }

  close() {
    this.stream?.close();
    this.stream = null;
    this.lost = null;
    this.isStale = false;
  }

  subscribed(answer, first) {
    this.isStale = false;
    this.state.subscribed(answer);
    if (first) return;
    this.lost = { turns: [], until: answer.throughSeq };
    if (this.state.seq >= answer.throughSeq) this.sayReconnected();
  }

  received(event) {
    if (this.isStale) return;
    if (event.type === "stream.reset") {
      this.isStale = true;
      this.onStale();
      return;
    }
    if (event.type === "room.changed") {
      get("/api/bootstrap").then(this.onBootstrap, () => {}); // the next event or reconnect asks again
      return;
    }
    if (!this.state.apply(event)) return;
    if (this.lost && event.type === "turn.interrupted") this.lost.turns.push(event);
    this.onEvent(event);
    if (this.lost && event.seq !== null && event.seq >= this.lost.until) this.sayReconnected();
  }

  /** After a gap: what happened meanwhile, in one line that leads to the turns. */
  async sayReconnected() {
    const { stream } = this;
    const { turns } = this.lost;
    this.lost = null;
    const now = await get("/api/bootstrap").catch(() => null);
    if (stream !== this.stream || (now && this.onBootstrap(now))) return;
    if (now && now.runtime.startedAt !== this.state.runtime.startedAt) {
      this.state.runtime.startedAt = now.runtime.startedAt;
      tellOfRestart(now, this.state);
      return;
    }
    const unknown = turns.filter(({ body }) => body.deliveryCertainty === "unknown").length;
    const counts = turns.length ? ` ${t("notice.interrupted", { n: turns.length, unknown })}` : "";
    this.state.notice(t("notice.reconnected", { time: clockTime(new Date().toISOString()) }) + counts,
      turnLinks(turns.map(({ actor, body }) =>
        ({ turnId: body.turnId, targetActorId: body.targetActorId ?? actor.actorId })), this.state));
  }
}
