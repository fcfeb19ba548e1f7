"""Records that no event of the ledger tells of: what older programs kept, and what a pruned room
leaves to its agents."""

import sqlite3

from groupx.store.search_rows import index_document

_LOWEST = "SELECT min(0, ifnull(min(doc_id), 0)) FROM search_docs"
_UNTOLD = """
SELECT 'memory', m.memory_id,
  CASE WHEN m.scope_type = 'room' THEN m.scope_id ELSE coalesce(
    iif(m.scope_type = 'correlation',
      (SELECT room_id FROM events e WHERE e.correlation_id = m.scope_id LIMIT 1), NULL),
    (SELECT room_id FROM events e WHERE e.event_id = m.source_event_id),
    (SELECT room_id FROM rooms WHERE active = 1)) END,
  m.author_actor_id, m.created_at AS at, m.content
FROM memory_records m WHERE NOT EXISTS (
  SELECT 1 FROM search_docs d WHERE d.kind = 'memory' AND d.ref_id = m.memory_id)
UNION ALL
SELECT 'identity', i.identity_id,
  coalesce((SELECT room_id FROM events e WHERE e.event_id = i.source_event_id),
    (SELECT room_id FROM rooms WHERE active = 1)),
  i.author_actor_id, i.created_at, i.content
FROM identity_records i WHERE NOT EXISTS (
  SELECT 1 FROM search_docs d WHERE d.kind = 'identity' AND d.ref_id = i.identity_id)
ORDER BY at DESC LIMIT :limit
"""


def index_untold(conn: sqlite3.Connection, limit: int) -> int:
    """Index such records, the newest first; how many there were, at most `limit`.

    Their documents are numbered downwards from -1, so that they come after everything else.
    """
    found = conn.execute(_UNTOLD, {"limit": limit}).fetchall()
    (lowest,) = conn.execute(_LOWEST).fetchone()
    for below, (kind, ref_id, room_id, author, at, content) in enumerate(found, 1):
        values = (lowest - below, kind, ref_id, room_id, author, None, at)
        index_document(conn, values, content)
    return len(found)
