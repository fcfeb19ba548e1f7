// Full-text search over messages and memories.

import { get } from "./api.js";

const LIMIT = 20;

/** `{ results, nextCursor?, indexing? }` over every room. `signal` gives up. */
export function search(q, cursor, signal) {
  return get("/api/search", { q, rooms: "all", limit: LIMIT, cursor }, signal);
}
