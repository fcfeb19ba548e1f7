// What is remembered: records, policies, and how full the room's context is.

import { get, post, put } from "./api.js";
import { asRead } from "./search.js";

const segment = encodeURIComponent;

/** `family` is "memory" or "identity". */
export const records = {
  /** `{ records, nextBefore?, configured?, configuredView? }`, each record with its `view` */
  list: (family, query) => get(`/api/${family}`, { ...query, q: query.q && asRead(query.q), render: "html" }),
  /** `{ record, roomId? }`, whatever its status. */
  read: (family, id) => get(`/api/${family}/${segment(id)}`, { render: "html" }),
  add: (family, record, commandId) => post(`/api/${family}`, record, commandId),
  supersede: (family, id, { kind, content }, commandId) =>
    post(`/api/${family}/${segment(id)}/supersede`, { kind, content }, commandId),
  retract: (family, id) => post(`/api/${family}/${segment(id)}/retract`),
};

/** An agent's days in the active room, or in an older one: `{ days[{ localDate, waitingTurns, record?, lastErrorCode?, nextAttemptAt? }] }` */
export const days = (agent, roomId = null) => get("/api/memory/days", { agent, roomId });

export const policies = {
  /** In the active room, or in an older one. */
  read: (actorId, roomId = null) => get(`/api/memory-policy/${segment(actorId)}`, { roomId }),
  set: (actorId, { useMemories, generation, expectedRevision }) =>
    put(`/api/memory-policy/${segment(actorId)}`, { useMemories, generation, expectedRevision }),
};

export const context = {
  read: () => get("/api/context"),
  compact: () => post("/api/context/compact"),
  cancel: () => post("/api/context/compact/cancel"),
  reset: (resetNativeSessions) => post("/api/context/reset", { resetNativeSessions }),
};
