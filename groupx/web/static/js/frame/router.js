// Where the page is, as its address says: `#evt_…` a message, `#/turn/<id>` a view beside the
// room, `#/room/<id>` another room.

/** `"#/agent/ada/memory"` → `{ name: "agent", args: ["ada", "memory"] }`; null for no such address. */
export function parseRoute(hash) {
  if (!hash.startsWith("#/")) return null;
  const [name, ...args] = hash.slice(2).split("/").map(decoded);
  return name ? { name, args } : null;
}

/** Of an entry: one of an older room names its room too. */
export function entryHash(room, eventId) {
  return room.active ? `#${eventId}` : routeHash("room", room.roomId, eventId);
}

export function routeHash(name, ...args) {
  return `#/${[name, ...args].map(encodeURIComponent).join("/")}`;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Calls `onRoute({ name, args } | null)` and `onEntry(eventId)` as the address changes. A view for
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

  /** The address without an entry; a view stays. */
  leaveEntry() {
    const route = parseRoute(location.hash);
    if (route && route.name !== "room") return;
    history.replaceState(null, "", location.pathname + location.search + this.home());
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
