// Full-text search over messages and memories.

import { get } from "./api.js";

const LIMIT = 20;
const READ = 1000;

/** As much of what was typed as is read of a search; what is more would not fit into an address. */
export const asRead = (typed) => [...typed].slice(0, READ).join("");

/** `{ results, nextCursor?, indexing? }` over every room. `signal` gives up. */
export function search(q, cursor, signal) {
  return get("/api/search", { q: asRead(q), rooms: "all", limit: LIMIT, cursor }, signal);
}
