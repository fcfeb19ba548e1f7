"""Recording what one request took of a context; a turn's own are recorded by claim and terminal."""

from groupx.domain.context_usage import RecordUsage
from groupx.store.queries.rooms import active_room, exists
from groupx.store.transaction import Transaction
from groupx.store.usage_rows import write_usage


def record_usage(tx: Transaction, usage: RecordUsage) -> None:
    """Keep it as the latest of its kind; it touches no other kind and writes no event.

    Of a room that was pruned meanwhile there is nothing to keep.
    """
    room_id = usage.room_id or active_room(tx.conn)
    if exists(tx.conn, room_id):
        write_usage(tx, room_id, usage)
