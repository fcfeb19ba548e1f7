"""To which era a native session belongs that is opened now, and since when there is that era.

A new room begins one, so only its own resets count; those of another may be pruned. The order of
resets is that in which they were written, never that of their times: clocks go back.
"""

import sqlite3
from typing import Any

from groupx.domain.context_reset import SessionEra
from groupx.domain.ids import RoomId

_ACTIVE = "(SELECT room_id FROM rooms WHERE active = 1)"
_LAST_RESET = f"""FROM context_resets r WHERE r.reset_native_sessions = 1
 AND r.room_id = {_ACTIVE} ORDER BY r.rowid DESC LIMIT 1"""
ERA = f"""
{_ACTIVE},
(SELECT r.reset_id {_LAST_RESET})
"""
"""What `read_era` takes."""
_RESET_SEQ = f"""coalesce((SELECT coalesce(
  (SELECT min(n.seq) FROM events n WHERE n.room_id = r.room_id AND n.seq > r.through_seq),
  r.through_seq) {_LAST_RESET}), 0)"""
"""The seq of the event by which sessions were last reset, the first above its floor; 0 = never."""
IN_ERA = f"""(coalesce(
  (SELECT d.seq FROM events d
   WHERE d.room_id = e.room_id AND d.idempotency_key =
     'turn:' || a.turn_id || ':dispatched:' || a.attempt_id),
  t.enqueue_seq) > {_RESET_SEQ})"""
"""Whether attempt `a` of turn `t`, whose source event is `e`, was made since then."""


def read_era(columns: tuple[Any, ...]) -> SessionEra:
    """The columns of ERA."""
    room_id, reset_id = columns
    return SessionEra(room_id=RoomId(room_id), reset_id=reset_id)


def session_era(conn: sqlite3.Connection, _: None) -> SessionEra:
    """The era by now."""
    return read_era(conn.execute(f"SELECT {ERA}").fetchone())
