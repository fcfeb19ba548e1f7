"""A call that a limit stopped, for everybody to see, with all that is needed to let it go on."""

from itertools import islice
from typing import Any

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.envelope import Envelope, EventDraft, Provenance
from groupx.domain.errors import GroupXError, RecordedRefusal
from groupx.domain.ids import SYSTEM, ActorId
from groupx.domain.wire import optional, to_wire
from groupx.store.chain import MAX_SHOWN, chain_of
from groupx.store.command_rows import remember_refusal
from groupx.store.event_keys import raises_of, stop_key, stops_of
from groupx.store.loop_limits import Measure, stopped_message
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow

MAX_STOPS = 16
"""Calls of one chain that one limit stopped and that are kept; later ones are refused only."""
CALLBACK = "callback"
_STOPS = """
SELECT count(*) FROM events WHERE room_id = ? AND idempotency_key >= ? AND idempotency_key < ?
  AND event_type = ?
"""


@attrs.frozen(kw_only=True)
class Refused:
    """The call that was not made, whole: with its author it can be made later."""

    command_type: str
    actor_id: ActorId
    to: tuple[str, ...]
    """Agents, or `@all`."""
    content: str
    reply_to_event_id: str | None = optional()
    forwarded_event_id: str | None = optional()
    wake_me: bool | None = optional()
    """Whether the author wanted to be woken at the end."""
    child_turn_id: str | None = optional()
    """Of a callback: the turn whose end it tells."""
    observers: tuple[str, ...] | None = optional()
    """Who was to watch."""
    subject_turn_id: str | None = optional()
    """Of a steer: the turn that it is about."""
    steer_reason: str | None = optional()


def refuse_call(
    tx: Transaction,
    parent: TurnRow,
    key: CommandKey,
    refused: Refused,
    stopped: Measure,
) -> GroupXError:
    """The refusal to raise; it is on record, unless so many wait for the user already."""
    root = parent.root_correlation_id
    details = {"limit": stopped.limit, "bound": stopped.bound, "rootCorrelationId": root}
    message = stopped_message(stopped)
    if _waiting(tx, parent, stopped.limit) >= MAX_STOPS:
        return GroupXError(stopped.code, message, **details)
    stop = record_loop_stop(tx, parent, refused, limit=stopped.limit, bound=stopped.bound)
    error = RecordedRefusal(stopped.code, message, **details, stopEventId=stop.event_id)
    remember_refusal(tx, key, error)
    return error


def record_loop_stop(
    tx: Transaction,
    parent: TurnRow,
    refused: Refused,
    *,
    limit: str,
    bound: int,
    caused_by: str | None = None,
) -> Envelope:
    """Write the `routing.loop_stopped` of a call out of the turn `parent`."""
    root = parent.root_correlation_id
    before = _count(tx, parent, stops_of(root, limit), "routing.loop_stopped")
    return tx.emit(
        EventDraft(
            type="routing.loop_stopped",
            room_id=parent.room_id,
            actor_id=SYSTEM,
            correlation_id=parent.correlation_id,
            body={
                "limit": limit,
                "bound": bound,
                "rootCorrelationId": root,
                "chain": _chain(tx, parent),
                "refused": to_wire(refused),
            },
            causation_id=caused_by or parent.turn_id,
            root_correlation_id=root,
            parent_turn_id=parent.turn_id,
            hop_count=parent.hop_count,
            idempotency_key=stop_key(root, limit, before + 1),
            provenance=Provenance(source_kind="system", author_actor_id=SYSTEM),
        )
    )


def _waiting(tx: Transaction, parent: TurnRow, limit: str) -> int:
    """How many stopped calls of this chain the user has not let go on."""
    root = parent.root_correlation_id
    stopped = _count(tx, parent, stops_of(root, limit), "routing.loop_stopped")
    return stopped - _count(tx, parent, raises_of(root, limit), "routing.loop_continued")


def _count(tx: Transaction, parent: TurnRow, keys: tuple[str, str], event_type: str) -> int:
    values = (parent.room_id, *keys, event_type)
    return int(tx.conn.execute(_STOPS, values).fetchone()[0])


def _chain(tx: Transaction, parent: TurnRow) -> list[dict[str, Any]]:
    """From the root's turn down to the one whose call was stopped."""
    links = islice(chain_of(tx.conn, parent), MAX_SHOWN)
    return [{"turnId": link.turn_id, "actorId": link.target_actor_id} for link in links][::-1]
