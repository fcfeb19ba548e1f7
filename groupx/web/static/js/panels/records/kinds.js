// What a record may be, and what may be done with one. Pure.

export const KINDS = ["fact", "decision", "preference", "instruction", "constraint", "note"];
export const MAX_CHARACTERS = 8000;

/** The id of a record of either family. */
export function recordId(record) {
  return record.memoryId ?? record.identityId;
}

/** The id of the record in whose place this one is. */
export function supersededId(record) {
  return record.supersedesMemoryId ?? record.supersedesIdentityId;
}

/** `{ edit, retract }`: the room's summary is only read, a dated memory can be taken back and not
 * rewritten. */
export function allowed(record) {
  const open = record.status === "active" && record.sourceKind !== "generated_summary";
  return { edit: open && record.agentMemoryType !== "dated", retract: open };
}

/** By whom an identity record is: the user, the agent itself, or another agent that observed it. */
export function identityGroup({ authorActorId, subjectActorId }) {
  if (authorActorId === subjectActorId) return "self";
  return authorActorId.startsWith("user:") ? "user" : "observed";
}

const ORDER = ["user", "self", "observed"];

/** Records in the order of their groups, each as it came. */
export function byGroup(records) {
  return ORDER.flatMap((group) => records.filter((record) => identityGroup(record) === group));
}

/** A moment of a local day, `2026-12-01`. */
export function momentOf(localDate) {
  return `${localDate}T12:00:00`;
}
