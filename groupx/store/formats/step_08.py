"""Format 8: an agent may watch another one's turn while it runs, and nudge it a few times."""

NUMBER = 8
NAME = "live_supervision_pairs"

STATEMENTS = (
    """
    CREATE TABLE supervision_pairs (
      pair_id TEXT PRIMARY KEY,
      room_id TEXT NOT NULL,
      correlation_id TEXT NOT NULL,
      source_event_id TEXT NOT NULL REFERENCES events(event_id),
      watch_event_id TEXT NOT NULL REFERENCES events(event_id),
      pair_event_id TEXT NOT NULL REFERENCES events(event_id),
      mode TEXT NOT NULL CHECK (mode = 'live_steer'),
      created_at TEXT NOT NULL
    )
    """,
    "CREATE INDEX supervision_pairs_correlation_idx ON supervision_pairs(correlation_id)",
    """
    CREATE TABLE supervision_pair_turns (
      turn_id TEXT PRIMARY KEY REFERENCES turns(turn_id),
      pair_id TEXT NOT NULL REFERENCES supervision_pairs(pair_id),
      role TEXT NOT NULL CHECK (role IN ('worker', 'observer')),
      actor_id TEXT NOT NULL,
      created_at TEXT NOT NULL
    )
    """,
    "CREATE INDEX supervision_pair_turns_pair_role_idx ON supervision_pair_turns(pair_id, role)",
    """
    CREATE TABLE supervision_steer_counts (
      subject_turn_id TEXT PRIMARY KEY REFERENCES turns(turn_id),
      steer_count INTEGER NOT NULL CHECK (steer_count >= 0)
    )
    """,
)
