"""Client commands: the same one twice happens once and is answered the same."""

from collections.abc import Mapping
from typing import Any

import attrs
import orjson

from groupx.domain.canonical import command_hash
from groupx.domain.commands import AcceptedMessage, CommandKey, QueuedTurnAnswer
from groupx.domain.errors import ErrorCode, GroupXError, RecordedRefusal
from groupx.domain.ids import ActorId
from groupx.domain.roster import Skipped
from groupx.domain.turns import TurnStatus
from groupx.domain.wire import to_wire
from groupx.store.transaction import Transaction

_FIND = """
SELECT canonical_hash, result_json FROM client_commands
WHERE source_binding_id = ? AND client_command_id = ?
"""
_REMEMBER = """
INSERT INTO client_commands (command_id, source_binding_id, client_command_id, command_type,
  canonical_hash, result_json, accepted_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_BINDING = "SELECT actor_id, instance_id, closed_at FROM session_bindings WHERE binding_id = ?"


def first_result(tx: Transaction, key: CommandKey) -> Mapping[str, Any] | None:
    """What this command was answered before, if it was taken before.

    CLIENT_COMMAND_CONFLICT when its id was used for something else; a refusal that is on record
    is raised again.
    """
    if key.client_command_id is None:
        return None
    row = tx.conn.execute(_FIND, (key.binding_id, key.client_command_id)).fetchone()
    if row is None:
        return None
    if row[0] != command_hash(key.command_type, dict(key.request)):
        raise GroupXError(
            ErrorCode.CLIENT_COMMAND_CONFLICT,
            f"The command id '{key.client_command_id}' was already used for another request; "
            "nothing was changed. Send this one under an id of its own.",
        )
    result = orjson.loads(row[1] or b"{}")
    if "refused" in result:
        refused = result["refused"]
        raise GroupXError(
            ErrorCode(refused["code"]), refused["message"], **refused.get("details", {})
        )
    return result


def remember_refusal(tx: Transaction, key: CommandKey, error: RecordedRefusal) -> None:
    """Keep a refusal that is on record: the command again is refused the same, and only once
    written down."""
    remember(tx, key, {"refused": error.to_wire()["error"]})


def remember(
    tx: Transaction, key: CommandKey, result: attrs.AttrsInstance | Mapping[str, Any]
) -> None:
    """Keep the answer of an accepted command, in the transaction that did it."""
    if key.client_command_id is None:
        return
    tx.conn.execute(
        _REMEMBER,
        (
            tx.ids.new("cmd"), key.binding_id, key.client_command_id, key.command_type,
            command_hash(key.command_type, dict(key.request)),
            orjson.dumps(to_wire(result)).decode(), tx.now,
        ),
    )  # fmt: skip


def sender_instance(tx: Transaction, key: CommandKey, actor_id: ActorId) -> str:
    """The instance behind the command's binding.

    SESSION_NOT_AVAILABLE when the binding is unknown or closed, MCP_BINDING_MISMATCH when it
    belongs to someone else: the binding says who sends, nothing else does.
    """
    row = tx.conn.execute(_BINDING, (key.binding_id,)).fetchone()
    if row is None or row[2] is not None:
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE,
            "The session that this command came from has ended; nothing was sent.",
        )
    if row[0] != actor_id:
        raise GroupXError(
            ErrorCode.MCP_BINDING_MISMATCH,
            f"This session speaks for {row[0]}, not for {actor_id}; nothing was sent.",
        )
    return str(row[1])


def accepted_from(result: Mapping[str, Any]) -> AcceptedMessage:
    """The AcceptedMessage whose wire form was remembered."""
    return AcceptedMessage(
        message_event_id=result["messageEventId"],
        correlation_id=result["correlationId"],
        turns=turns_from(result["turns"]),
        skipped=_skipped_from(result["skipped"]) if "skipped" in result else None,
        watch_turns=turns_from(result["watchTurns"]) if "watchTurns" in result else None,
        watch_event_id=result.get("watchEventId"),
        pair_event_id=result.get("pairEventId"),
    )


def _skipped_from(items: list[Mapping[str, Any]]) -> tuple[Skipped, ...]:
    return tuple(Skipped(target=item["target"], reason=item["reason"]) for item in items)


def turns_from(items: list[Mapping[str, Any]]) -> tuple[QueuedTurnAnswer, ...]:
    """The answers whose wire form was remembered."""
    return tuple(
        QueuedTurnAnswer(
            target=item["target"],
            turn_id=item["turnId"],
            status=TurnStatus(item["status"]),
            transport=item.get("transport", "structured"),
            queue_position=item.get("queuePosition"),
            active_turn_id=item.get("activeTurnId"),
        )
        for item in items
    )
