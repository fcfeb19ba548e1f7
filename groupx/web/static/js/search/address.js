// Where a hit stands in the page.

import { entryHash, routeHash } from "../frame/router.js";

/** Where a hit leads: a message to its place, in its room; what is remembered to where it is kept. */
export function addressOf({ kind, id, roomId, ownerActorId }, room) {
  const [owner, name] = ownerActorId?.split(":") ?? [];
  if (owner === "agent") return routeHash("agent", name, kind);
  if (kind === "memory" || kind === "identity") return routeHash("memory");
  const isHere = !roomId || roomId === room.roomId;
  return entryHash(isHere ? room : { active: false, roomId }, id);
}
