"""Pruning old rooms: archived together, or deleted whole. Nothing else ever removes an event."""

from collections.abc import Iterable

from groupx.domain.ids import RoomId
from groupx.domain.rooms import PrunedRooms, PruneRooms, RoomSummary
from groupx.store.command_rows import first_result, remember
from groupx.store.queries.rooms import idle_rooms
from groupx.store.queries.search import indexing
from groupx.store.search_rows import forget_room
from groupx.store.search_untold import index_untold
from groupx.store.transaction import Transaction

_ARCHIVE = "UPDATE rooms SET archived_at = ? WHERE room_id = ? AND archived_at IS NULL"

_EVENTS = "(SELECT event_id FROM events WHERE room_id = :room)"
_TURNS = f"(SELECT turn_id FROM turns WHERE source_event_id IN {_EVENTS})"
_PAIRS = "(SELECT pair_id FROM supervision_pairs WHERE room_id = :room)"
_CHAINS = "(SELECT correlation_id FROM events WHERE room_id = :room)"
_ELSEWHERE = "(SELECT correlation_id FROM events WHERE room_id <> :room)"
_MEMORIES = f"""(SELECT memory_id FROM memory_records
  WHERE (scope_type = 'room' AND scope_id = :room)
  OR (scope_type = 'correlation' AND scope_id IN {_CHAINS} AND scope_id NOT IN {_ELSEWHERE}))"""

_POINTERS = (
    ("events", "reply_to_event_id"),
    ("turns", "parent_turn_id"),
    ("turns", "caused_by_turn_id"),
    ("turns", "response_event_id"),
    ("turns", "terminal_event_id"),
    ("memory_records", "source_event_id"),
    ("memory_records", "supersedes_memory_id"),
    ("identity_records", "source_event_id"),
    ("agent_dated_memory_sources", "source_event_id"),
    ("agent_dated_memory_sources", "memory_id"),
    ("agent_dated_memory_rollups", "memory_id"),
    ("completion_claims", "waiter_turn_id"),
    ("completion_claims", "callback_turn_id"),
    ("supervision_pairs", "source_event_id"),
    ("supervision_pairs", "watch_event_id"),
    ("supervision_pairs", "pair_event_id"),
)
"""Foreign keys without an index: without one for as long as the deleting takes, every deleted row
would be looked for in the whole of another table."""

LEFT_RECORDS = 1_000
"""Of the agents' own, told of in a deleted room, that stay searchable; a reindex finds all."""

_FORGET = (
    # What stays of the agents' own memories and identities no longer says from which event.
    f"UPDATE memory_records SET source_event_id = NULL WHERE source_event_id IN {_EVENTS}",
    f"UPDATE identity_records SET source_event_id = NULL WHERE source_event_id IN {_EVENTS}",
    f"""UPDATE memory_records SET supersedes_memory_id = NULL
        WHERE supersedes_memory_id IN {_MEMORIES}""",
    # Databases of the older program may point from one room into another.
    f"""UPDATE events SET reply_to_event_id = NULL
        WHERE room_id <> :room AND reply_to_event_id IN {_EVENTS}""",
    f"UPDATE turns SET parent_turn_id = NULL WHERE parent_turn_id IN {_TURNS}",
    f"UPDATE turns SET caused_by_turn_id = NULL WHERE caused_by_turn_id IN {_TURNS}",
    f"""DELETE FROM completion_claims WHERE child_turn_id IN {_TURNS}
        OR waiter_turn_id IN {_TURNS} OR callback_turn_id IN {_TURNS}""",
    f"DELETE FROM supervision_steer_counts WHERE subject_turn_id IN {_TURNS}",
    f"DELETE FROM supervision_pair_turns WHERE turn_id IN {_TURNS} OR pair_id IN {_PAIRS}",
    "DELETE FROM supervision_pairs WHERE room_id = :room",
    f"DELETE FROM agent_dated_memory_sources WHERE room_id = :room OR turn_id IN {_TURNS}",
    "DELETE FROM agent_dated_memory_rollups WHERE room_id = :room",
    f"DELETE FROM memory_records WHERE memory_id IN {_MEMORIES}",
    "DELETE FROM summaries WHERE room_id = :room",
    "DELETE FROM context_resets WHERE room_id = :room",
    "DELETE FROM delivery_cursors WHERE room_id = :room",
    "DELETE FROM context_usage WHERE room_id = :room",
    "DELETE FROM memory_policies WHERE room_id = :room",
    "DELETE FROM lane_states WHERE room_id = :room",
    f"DELETE FROM turn_attempts WHERE turn_id IN {_TURNS}",
    f"DELETE FROM turns WHERE source_event_id IN {_EVENTS}",
    "DELETE FROM events WHERE room_id = :room",
    "DELETE FROM rooms WHERE room_id = :room AND active = 0",
)
"""One room, whoever points before what is pointed to."""


def prune(tx: Transaction, command: PruneRooms) -> PrunedRooms:
    """Archive or delete the named rooms that are still idle, all or none of them.

    Deleting is for whoever has made a backup first.
    """
    known = first_result(tx, command.key)
    if known is not None:
        return PrunedRooms(
            room_ids=tuple(known["roomIds"]), events=known["events"], turns=known["turns"]
        )
    wanted = set(command.room_ids)
    found = [room for room in idle_rooms(tx.conn, command.idle) if room.room_id in wanted]
    if command.action == "archive":
        found = [room for room in found if room.archived_at is None]
        for room in found:
            tx.conn.execute(_ARCHIVE, (tx.now, room.room_id))
    elif found:
        _delete(tx, [room.room_id for room in found])
    done = _counted(found)
    remember(tx, command.key, done)
    return done


def _counted(found: Iterable[RoomSummary]) -> PrunedRooms:
    rooms = list(found)
    return PrunedRooms(
        room_ids=tuple(room.room_id for room in rooms),
        events=sum(room.events for room in rooms),
        turns=sum(room.turns for room in rooms),
    )


def _delete(tx: Transaction, room_ids: list[RoomId]) -> None:
    for table, column in _POINTERS:
        tx.conn.execute(f"CREATE INDEX pruning_{table}_{column} ON {table}({column})")
    for room_id in room_ids:
        forget_room(tx.conn, room_id)
        for statement in _FORGET:
            tx.conn.execute(statement, {"room": room_id})
    for table, column in _POINTERS:
        tx.conn.execute(f"DROP INDEX pruning_{table}_{column}")
    if indexing(tx.conn) is None:  # else the last slice does it, when all events were told
        index_untold(tx.conn, LEFT_RECORDS)
