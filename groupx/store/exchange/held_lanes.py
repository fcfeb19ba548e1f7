"""What waits in a ledger that came out of a file waits until the user says so.

The room that the file was made of may have sent it since: sent from here too, an agent would see
it twice.
"""

import sqlite3

import attrs

_OPEN = """
SELECT s.room_id, t.target_actor_id, count(*)
FROM turns t JOIN events s ON s.event_id = t.source_event_id
WHERE t.status IN ('queued', 'dispatching', 'running', 'cancelling')
GROUP BY s.room_id, t.target_actor_id
"""
_PAUSE = """
INSERT INTO lane_states (room_id, actor_id, state, reason, revision, updated_at)
VALUES (?, ?, 'paused', ?, 1, ?)
ON CONFLICT (room_id, actor_id) DO UPDATE SET state = 'paused', reason = excluded.reason,
  revision = revision + 1, updated_at = excluded.updated_at
"""


@attrs.frozen(kw_only=True)
class Held:
    """What was paused."""

    turns: int
    agents: tuple[str, ...]


def hold_open_lanes(conn: sqlite3.Connection, *, reason: str, now_iso: str) -> Held:
    """Pause every lane that has unfinished turns, in the caller's transaction."""
    found = conn.execute(_OPEN).fetchall()
    for room_id, actor_id, _ in found:
        conn.execute(_PAUSE, (room_id, actor_id, reason, now_iso))
    return Held(
        turns=sum(turns for _, _, turns in found),
        agents=tuple(sorted({actor_id for _, actor_id, _ in found})),
    )
