"""A call that a limit stopped, for everybody to see, with all that is needed to let it go on."""

from typing import Any

import attrs

from groupx.domain.envelope import Envelope, EventDraft, Provenance
from groupx.domain.ids import SYSTEM, ActorId
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, find_turn

MAX_CHAIN = 64
_STOPS = """
SELECT count(*) FROM events WHERE room_id = ? AND idempotency_key >= ? AND idempotency_key < ?
  AND event_type = 'routing.loop_stopped'
"""


@attrs.frozen(kw_only=True)
class Refused:
    """The call that was not made."""

    command_type: str
    actor_id: ActorId
    to: tuple[ActorId, ...]
    content: str


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
    key = f"loop:{root}:{limit}:"
    (before,) = tx.conn.execute(_STOPS, (parent.room_id, key, key[:-1] + ";")).fetchone()
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
                "refused": {
                    "commandType": refused.command_type,
                    "actorId": refused.actor_id,
                    "to": list(refused.to),
                    "content": refused.content,
                },
            },
            causation_id=caused_by or parent.turn_id,
            root_correlation_id=root,
            parent_turn_id=parent.turn_id,
            hop_count=parent.hop_count,
            idempotency_key=f"{key}{before + 1}",
            provenance=Provenance(source_kind="system", author_actor_id=SYSTEM),
        )
    )


def _chain(tx: Transaction, parent: TurnRow) -> list[dict[str, Any]]:
    """From the root's turn down to the one whose call was stopped."""
    links: list[dict[str, Any]] = []
    turn: TurnRow | None = parent
    while turn is not None and len(links) < MAX_CHAIN:
        links.append({"turnId": turn.turn_id, "actorId": turn.target_actor_id})
        turn = None if turn.parent_turn_id is None else find_turn(tx.conn, turn.parent_turn_id)
    return links[::-1]
