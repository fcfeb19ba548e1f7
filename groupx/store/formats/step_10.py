"""Format 10, our first release: rooms, lanes, receipts, policies, and one search index.

The text of older formats is indexed after the upgrade, from `search_state` onwards.
"""

NUMBER = 10
NAME = "groupx_format_10"

_MARKER = (
    """
    CREATE TABLE groupx_schema (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      format INTEGER NOT NULL
    )
    """,
    "CREATE TABLE groupx_instance (database_id TEXT PRIMARY KEY, created_at TEXT NOT NULL)",
    "INSERT INTO groupx_instance (database_id, created_at) VALUES (:database_id, :now)",
)

_ROOMS = (
    """
    CREATE TABLE rooms (
      room_id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      active INTEGER NOT NULL CHECK (active IN (0, 1)),
      created_at TEXT NOT NULL,
      archived_at TEXT
    )
    """,
    "CREATE UNIQUE INDEX rooms_one_active_idx ON rooms(active) WHERE active = 1",
    """
    INSERT INTO rooms (room_id, title, active, created_at)
      SELECT room_id, room_id, room_id = 'room:main', coalesce(
        (SELECT occurred_at FROM events WHERE events.room_id = found.room_id ORDER BY seq LIMIT 1),
        :now
      )
      FROM (
        SELECT 'room:main' AS room_id
        UNION SELECT room_id FROM events
        UNION SELECT room_id FROM delivery_cursors
        UNION SELECT room_id FROM summaries
        UNION SELECT room_id FROM agent_dated_memory_rollups
        UNION SELECT room_id FROM supervision_pairs
        UNION SELECT room_id FROM context_resets
        UNION SELECT scope_id FROM memory_records WHERE scope_type = 'room'
      ) AS found
    """,
)

_EVENTS = (
    "ALTER TABLE events ADD COLUMN root_correlation_id TEXT",
    "ALTER TABLE events ADD COLUMN parent_turn_id TEXT",
    """
    ALTER TABLE events ADD COLUMN hop_count INTEGER CHECK (hop_count IS NULL OR hop_count >= 0)
    """,
    "ALTER TABLE events ADD COLUMN forwarded_event_id TEXT",
    "UPDATE events SET root_correlation_id = correlation_id",
    """
    CREATE UNIQUE INDEX events_room_idempotency_unique ON events(room_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL
    """,
)

_TURNS = (
    """
    ALTER TABLE turns ADD COLUMN trigger_kind TEXT NOT NULL DEFAULT 'legacy'
      CHECK (trigger_kind IN ('user', 'control', 'automatic', 'recovery', 'legacy'))
    """,
    "ALTER TABLE turns ADD COLUMN caused_by_turn_id TEXT REFERENCES turns(turn_id)",
    """
    CREATE INDEX turns_root_target_idx ON turns(root_correlation_id, target_actor_id)
    """,
    """
    CREATE INDEX turns_open_target_idx ON turns(target_actor_id, enqueue_seq)
      WHERE status IN ('queued', 'dispatching', 'running', 'cancelling')
    """,
    """
    ALTER TABLE turn_attempts ADD COLUMN reconciliation TEXT NOT NULL DEFAULT 'none'
      CHECK (reconciliation IN (
        'none', 'matched_running', 'matched_terminal', 'not_found', 'unavailable', 'unsupported'
      ))
    """,
    "ALTER TABLE turn_attempts ADD COLUMN packet_json TEXT",
)

_LANES = (
    """
    CREATE TABLE lane_states (
      room_id TEXT NOT NULL REFERENCES rooms(room_id),
      actor_id TEXT NOT NULL REFERENCES actors(actor_id),
      state TEXT NOT NULL CHECK (state IN ('runnable', 'paused')),
      reason TEXT,
      revision INTEGER NOT NULL CHECK (revision >= 1),
      updated_at TEXT NOT NULL,
      PRIMARY KEY (room_id, actor_id)
    )
    """,
    """
    CREATE TABLE completion_claims (
      child_turn_id TEXT PRIMARY KEY REFERENCES turns(turn_id),
      waiter_turn_id TEXT NOT NULL REFERENCES turns(turn_id),
      owner TEXT CHECK (owner IN ('inline', 'callback')),
      callback_turn_id TEXT REFERENCES turns(turn_id),
      state TEXT NOT NULL CHECK (state IN ('open', 'inline', 'queued', 'cancelled')),
      decided_at TEXT
    )
    """,
)

_POLICIES = (
    """
    CREATE TABLE memory_policies (
      room_id TEXT NOT NULL REFERENCES rooms(room_id),
      actor_id TEXT NOT NULL REFERENCES actors(actor_id),
      use_memories INTEGER NOT NULL CHECK (use_memories IN (0, 1)),
      generation TEXT NOT NULL CHECK (generation IN ('enabled', 'disabled', 'excluded')),
      reason TEXT,
      source TEXT NOT NULL,
      revision INTEGER NOT NULL CHECK (revision >= 1),
      updated_at TEXT NOT NULL,
      PRIMARY KEY (room_id, actor_id)
    )
    """,
    "ALTER TABLE agent_dated_memory_sources ADD COLUMN skipped_reason TEXT",
    """
    CREATE TABLE context_usage (
      room_id TEXT NOT NULL REFERENCES rooms(room_id),
      actor_id TEXT NOT NULL REFERENCES actors(actor_id),
      source TEXT NOT NULL
        CHECK (source IN ('turn', 'watch', 'rollup', 'compaction', 'assistant')),
      tracker TEXT NOT NULL CHECK (tracker IN ('packet', 'native')),
      characters INTEGER CHECK (characters IS NULL OR characters >= 0),
      tokens INTEGER CHECK (tokens IS NULL OR tokens >= 0),
      epoch INTEGER NOT NULL CHECK (epoch >= 0),
      revision INTEGER NOT NULL CHECK (revision >= 1),
      updated_at TEXT NOT NULL,
      PRIMARY KEY (room_id, actor_id, source)
    )
    """,
)

_RECEIPTS = """
CREATE VIEW input_receipts AS
  SELECT
    source_event_id,
    target_actor_id,
    turn_id,
    CASE
      WHEN status = 'completed' THEN 'completed'
      WHEN status = 'cancelled' THEN 'cancelled'
      WHEN status IN ('failed', 'interrupted') THEN 'failed'
      WHEN applied_at IS NOT NULL THEN 'applied'
      ELSE 'recorded'
    END AS state,
    received_at,
    recorded_at,
    applied_at,
    CASE WHEN status = 'completed' THEN terminal_at END AS completed_at
  FROM (
    SELECT
      turns.source_event_id,
      turns.target_actor_id,
      turns.turn_id,
      turns.status,
      turns.terminal_at,
      events.occurred_at AS received_at,
      turns.queued_at AS recorded_at,
      (
        SELECT min(turn_attempts.started_at) FROM turn_attempts
          WHERE turn_attempts.turn_id = turns.turn_id
            AND turn_attempts.delivery_certainty = 'delivered'
      ) AS applied_at
    FROM turns
    JOIN events ON events.event_id = turns.source_event_id
  )
"""

_SEARCH = (
    *(
        f"DROP TRIGGER {table}_{event}"
        for table in ("memory_records", "identity_records")
        for event in ("ai", "ad", "au")
    ),
    "DROP TABLE memory_records_fts",
    "DROP TABLE identity_records_fts",
    """
    CREATE TABLE search_docs (
      doc_id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      ref_id TEXT NOT NULL,
      room_id TEXT NOT NULL,
      author_actor_id TEXT NOT NULL,
      seq INTEGER,
      created_at TEXT NOT NULL,
      UNIQUE (kind, ref_id)
    )
    """,
    "CREATE VIRTUAL TABLE search_fts USING fts5(content, content='')",
    """
    CREATE TABLE search_state (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      indexed_through_seq INTEGER NOT NULL CHECK (indexed_through_seq >= 0)
    )
    """,
    "INSERT INTO search_state (singleton, indexed_through_seq) VALUES (1, 0)",
)


def _transport_rule(table: str, suffix: str, moment: str) -> str:
    return f"""
    CREATE TRIGGER {table}_transport_{suffix} BEFORE {moment} ON {table}
      WHEN NEW.transport IS NULL
        AND EXISTS (SELECT 1 FROM actors WHERE actor_id = NEW.actor_id AND kind = 'agent')
      BEGIN
        SELECT RAISE(ABORT, 'an agent always has a transport');
      END
    """


_TRANSPORT = tuple(
    _transport_rule(table, suffix, moment)
    for table in ("agent_instances", "session_bindings")
    for suffix, moment in (("bi", "INSERT"), ("bu", "UPDATE OF actor_id, transport"))
)

STATEMENTS = (
    *_MARKER,
    *_ROOMS,
    *_EVENTS,
    *_TURNS,
    *_LANES,
    *_POLICIES,
    _RECEIPTS,
    *_SEARCH,
    *_TRANSPORT,
)
