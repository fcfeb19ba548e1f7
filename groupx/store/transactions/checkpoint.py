"""Swapping a room's checkpoint for its successor."""

from groupx.domain.compaction import SwapCheckpoint
from groupx.domain.context_usage import RecordUsage
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.context_floor import reset_floor
from groupx.store.queries.rooms import exists
from groupx.store.summary_rows import active_summary, put_summary
from groupx.store.transaction import Transaction
from groupx.store.usage_rows import context_renewed, write_usage

_TAKEN_BACK_SINCE = """
SELECT 1 FROM events w JOIN events e ON e.event_id = json_extract(w.body_json, '$.messageEventId')
WHERE w.room_id = ? AND w.seq > ? AND w.event_type = 'message.withdrawn' AND e.seq <= ? LIMIT 1
"""


def swap_checkpoint(tx: Transaction, swap: SwapCheckpoint) -> str:
    """The new active checkpoint's id.

    STORE_CONFLICT when another one is active than was read, or a reset came meanwhile, or something
    that it may tell of was taken back, or the room was pruned; then nothing changes.
    """
    floor = reset_floor(tx.conn, swap.room_id)
    active = active_summary(tx.conn, swap.room_id, above=floor)
    follows = (active and active.summary_id) == swap.previous_id and swap.from_seq > floor
    holds = follows and exists(tx.conn, swap.room_id)
    taken_back = (swap.room_id, swap.read_seq, swap.through_seq)
    if not holds or tx.conn.execute(_TAKEN_BACK_SINCE, taken_back).fetchone():
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "The room's context changed while its checkpoint was written; that one was dropped.",
        )
    summary_id = put_summary(tx, swap)
    context_renewed(tx, swap.room_id)
    usage = RecordUsage(
        actor_id=swap.generator_actor_id,
        source="compaction",
        tracker="packet" if swap.tokens is None else "native",
        characters=swap.prompt_characters,
        tokens=swap.tokens,
    )
    write_usage(tx, swap.room_id, usage)
    return summary_id
