// Where a hit stands in the page.

import { besideHash, entryHash, routeHash } from "../frame/router.js";

/** Where a hit leads: to its message or its record, in its room; what is an agent's is of no room. */
export function addressOf({ kind, id, roomId, ownerActorId }, room) {
  const [owner, name] = ownerActorId?.split(":") ?? [];
  if (owner === "agent") return routeHash("agent", name, kind, id);
  const isHere = !roomId || roomId === room.roomId;
  if (kind === "memory") return isHere ? routeHash("memory", id) : besideHash(roomId, { name: "memory", args: [id] });
  return entryHash(isHere ? room : { active: false, roomId }, id);
}
