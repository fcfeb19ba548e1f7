// The room's one live connection: a WebSocket that goes on from the last seq it saw.

const FIRST_RETRY_MS = 400;
const LAST_RETRY_MS = 10_000;
const PING_MS = 20_000;
const SILENCE_MS = 45_000;
const STABLE_MS = 5_000;

/** Calls, in order: `onState({state, retryAt})` (connecting | live | waiting),
 * `onSubscribed(answer, first)`, `onEvent(envelope, or {event: envelope, view})`. `cursor()` gives the last seq. */
export class RoomStream {
  constructor({ roomId, cursor, onState, onSubscribed, onEvent }) {
    this.roomId = roomId;
    this.cursor = cursor;
    this.onState = onState;
    this.onSubscribed = onSubscribed;
    this.onEvent = onEvent;
    this.failures = 0;
    this.first = true;
    this.socket = null;
    this.timer = null;
    this.life = new AbortController();
    const { signal } = this.life;
    addEventListener("online", () => this.retryNow(), { signal });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retryNow();
    }, { signal });
  }

  open() {
    this.stopWaiting();
    this.onState({ state: "connecting" });
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/ws`);
    this.socket = socket;
    socket.onopen = () =>
      socket.send(JSON.stringify({
        subscribe: { roomId: this.roomId, afterSeq: this.cursor(), render: "html" },
      }));
    socket.onmessage = ({ data }) => {
      for (const frame of [JSON.parse(data)].flat()) this.receive(socket, frame);
    };
    socket.onclose = () => this.lost(socket);
  }

  /** For good: nothing opens it again. */
  close() {
    this.life.abort();
    this.stopWaiting();
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.stopPinging();
  }

  retryNow() {
    if (this.timer !== null) this.open();
  }

  stopWaiting() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  receive(socket, frame) {
    if (socket !== this.socket) return;
    this.heardAt = Date.now();
    if (frame.subscribed) {
      this.liveAt = Date.now();
      this.startPinging(socket);
      this.onSubscribed(frame.subscribed, this.first);
      this.first = false;
      this.onState({ state: "live" });
    } else if (frame.ping !== undefined) {
      socket.send(JSON.stringify({ pong: frame.ping }));
    } else if (frame.error?.code === "NOT_FOUND") {
      this.onEvent({ type: "stream.reset" }); // the room was deleted meanwhile
    } else if (frame.type || frame.event) {
      this.onEvent(frame);
    }
  }

  lost(socket) {
    if (socket !== this.socket) return;
    this.stopPinging();
    if (this.liveAt && Date.now() - this.liveAt > STABLE_MS) this.failures = 0;
    this.liveAt = null;
    const longest = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures++);
    const delay = longest * (0.5 + Math.random() / 2);
    this.timer = setTimeout(() => this.open(), delay);
    this.onState({ state: "waiting", retryAt: Date.now() + delay });
  }

  startPinging(socket) {
    this.stopPinging();
    let count = 0;
    this.pinging = setInterval(() => {
      if (Date.now() - this.heardAt > SILENCE_MS) socket.close();
      else socket.send(JSON.stringify({ ping: ++count }));
    }, PING_MS);
  }

  stopPinging() {
    clearInterval(this.pinging);
  }
}
