// As much of a browser as a stream and its follower need: what is said to it, and sockets that wait.

export const sockets = [];
const listeners = new Map();

const listen = (name, heard, { signal } = {}) => {
  if (!listeners.has(name)) listeners.set(name, new Set());
  listeners.get(name).add(heard);
  signal?.addEventListener("abort", () => listeners.get(name).delete(heard));
};

/** How many listen to what the whole page hears. */
export const listening = () => [...listeners.values()].reduce((sum, heard) => sum + heard.size, 0);

export const dispatch = (name) => [...listeners.get(name) ?? []].forEach((heard) => heard());

class Socket {
  constructor() {
    this.sent = [];
    sockets.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.onclose?.();
  }

  /** A frame of the daemon's. */
  says(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
}

Object.assign(globalThis, {
  addEventListener: listen,
  document: { addEventListener: listen, visibilityState: "visible", documentElement: {} },
  location: { protocol: "http:", host: "127.0.0.1:4310" },
  localStorage: { getItem: () => "en", setItem() {} },
  WebSocket: Socket,
});
