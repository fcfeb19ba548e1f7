"""Setting a memory policy: by compare-and-set, with what it means for work that waits."""

from collections.abc import Mapping
from typing import Any

from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import OPERATOR_BINDING, SYSTEM, RoomId
from groupx.domain.memory_policy import MemoryPolicy, SetPolicy
from groupx.domain.wire import to_wire
from groupx.store.agent_rows import must_be_agent
from groupx.store.command_rows import first_result, remember, sender_instance
from groupx.store.dated_sources import skip_all, skip_queued
from groupx.store.policy_rows import SKIPPED, find_policy
from groupx.store.queries.rooms import active_room
from groupx.store.transaction import Transaction

_SET = """
INSERT INTO memory_policies
  (room_id, actor_id, use_memories, generation, reason, source, revision, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (room_id, actor_id) DO UPDATE SET use_memories = excluded.use_memories,
  generation = excluded.generation, reason = excluded.reason, source = excluded.source,
  revision = excluded.revision, updated_at = excluded.updated_at
"""


def set_policy(tx: Transaction, command: SetPolicy) -> MemoryPolicy:
    """The new policy, in the active room; dated work that it forbids and that waits is skipped, and
    of an agent that is excluded also what is being written.

    UNKNOWN_ACTOR, POLICY_REVISION_STALE, POLICY_EXCLUDED: then there is no row and no event.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return _policy_from(known)
    instance_id = sender_instance(tx, command.key, command.by)
    if command.actor_id != SYSTEM:
        must_be_agent(tx.conn, command.actor_id)
    room_id = active_room(tx.conn)
    before = find_policy(tx.conn, room_id, command.actor_id)
    _check(before, command)
    operator = command.key.binding_id == OPERATOR_BINDING
    policy = MemoryPolicy(
        use_memories=command.use_memories,
        generation=command.generation,
        reason=command.reason,
        source="operator" if operator else "web",
        revision=command.expected_revision + 1,
        updated_at=tx.now,
    )
    _write(tx, room_id, command, policy, instance_id)
    skipped = SKIPPED.get(policy.generation)
    if policy.generation == "excluded":
        skip_all(tx, room_id, SKIPPED["excluded"], actor_id=command.actor_id)
    elif skipped is not None:
        skip_queued(tx, room_id, command.actor_id, skipped)
    remember(tx, command.key, policy)
    return policy


def _check(before: MemoryPolicy | None, command: SetPolicy) -> None:
    revision = 0 if before is None else before.revision
    if revision != command.expected_revision:
        raise GroupXError(
            ErrorCode.POLICY_REVISION_STALE,
            f"The memory policy of {command.actor_id} is at revision {revision}, not "
            f"{command.expected_revision}: somebody changed it meanwhile, and nothing was "
            "changed now. Look at it again, then decide.",
            expected=command.expected_revision,
            revision=revision,
        )
    excluded = before is not None and before.generation == "excluded"
    if excluded and command.generation != "excluded":
        raise GroupXError(
            ErrorCode.POLICY_EXCLUDED,
            f"{command.actor_id} is excluded from making memories in this room, which is for "
            "good and goes along into new rooms; nothing was changed.",
        )


def _write(
    tx: Transaction, room_id: RoomId, command: SetPolicy, policy: MemoryPolicy, instance_id: str
) -> None:
    tx.conn.execute(
        _SET,
        (
            room_id, command.actor_id, policy.use_memories, policy.generation, policy.reason,
            policy.source, policy.revision, policy.updated_at,
        ),
    )  # fmt: skip
    tx.emit(
        EventDraft(
            type="memory.policy.changed",
            room_id=room_id,
            actor_id=command.by,
            correlation_id=tx.ids.new("corr"),
            body={
                "actorId": command.actor_id,
                "policy": to_wire(policy),
                "previousRevision": command.expected_revision,
            },
            instance_id=instance_id,
            provenance=Provenance(
                source_kind="operator" if policy.source == "operator" else "web",
                author_actor_id=command.by,
                subject_actor_id=command.actor_id,
            ),
        )
    )


def _policy_from(result: Mapping[str, Any]) -> MemoryPolicy:
    return MemoryPolicy(
        use_memories=result["useMemories"],
        generation=result["generation"],
        reason=result.get("reason"),
        source=result["source"],
        revision=result["revision"],
        updated_at=result["updatedAt"],
    )
