// Where the page is, as its address says: `#evt_…` a message, `#/turn/<id>` a view beside the
// room, `#/room/<id>` another room, `#/room/<id>/turn/<id>` a view beside that one.

/** What can stand beside any room. */
const BESIDE = new Set(["turn", "agent", "memory", "assistant"]);

/** `"#/agent/ada/memory"` → `{ name: "agent", args: ["ada", "memory"], roomId: null }`; `roomId`: the room that the
 * address names. Null for no such address. */
export function parseRoute(hash) {
  if (!hash.startsWith("#/")) return null;
  const [name, ...args] = hash.slice(2).split("/").map(decoded);
  if (!name) return null;
  if (name !== "room") return { name, args, roomId: null };
  const [roomId = null, beside, ...rest] = args;
  return BESIDE.has(beside) ? { name: beside, args: rest, roomId } : { name, args, roomId };
}

/** Of an entry: one of an older room names its room too. */
export function entryHash(room, eventId) {
  return room.active ? `#${eventId}` : routeHash("room", room.roomId, eventId);
}

export function routeHash(name, ...args) {
  return `#/${[name, ...args].map(encodeURIComponent).join("/")}`;
}

/** The address of this view beside that room. */
export function besideHash(roomId, { name, args }) {
  return routeHash("room", roomId, name, ...args);
}

/** Whether a view is one that stands beside a room. */
export function standsBeside({ name }) {
  return BESIDE.has(name);
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Calls `onRoute({ name, args, roomId } | null)` and `onEntry(eventId)` as the address changes. A view for
 * which there is room beside the timeline (`staysBeside()`) stays open when an entry is gone to. */
export class Router {
  constructor({ onRoute, onEntry, staysBeside = () => false, home = () => "" }) {
    this.onRoute = onRoute;
    this.onEntry = onEntry;
    this.staysBeside = staysBeside;
    this.home = home;
    addEventListener("hashchange", () => this.follow());
  }

  follow() {
    const route = parseRoute(location.hash);
    const entry = route ? "" : decoded(location.hash.slice(1));
    if (!entry || !this.staysBeside()) this.onRoute(route);
    if (entry) this.onEntry(entry);
  }

  /** The same place under this address. */
  rename(hash) {
    history.replaceState(null, "", location.pathname + location.search + hash);
  }

  /** The address without an entry; a view stays. */
  leaveEntry() {
    const route = parseRoute(location.hash);
    if (!route || route.name === "room") this.rename(this.home());
  }

  /** The address without a view (`home()` of the room that is shown); nothing is asked again of the
   * one before it. */
  leave() {
    if (parseRoute(location.hash)) {
      history.pushState(null, "", location.pathname + location.search + this.home());
    }
    this.onRoute(parseRoute(location.hash));
  }
}
