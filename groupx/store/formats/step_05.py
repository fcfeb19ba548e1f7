"""Format 5: a room has one active summary, and an attempt says which one its packet held.

Of several active summaries the one that reaches furthest stays; of equals the later, then the
one with the greater id.
"""

NUMBER = 5
NAME = "durable_room_context_checkpoints"

STATEMENTS = (
    """
    ALTER TABLE turn_attempts ADD COLUMN summary_through_seq INTEGER
      CHECK (summary_through_seq IS NULL OR summary_through_seq >= 0)
    """,
    """
    UPDATE summaries SET status = 'superseded'
      WHERE status = 'active' AND EXISTS (
        SELECT 1 FROM summaries AS better
          WHERE better.room_id = summaries.room_id AND better.status = 'active'
            AND (better.through_seq, better.created_at, better.summary_id)
              > (summaries.through_seq, summaries.created_at, summaries.summary_id)
      )
    """,
    """
    CREATE INDEX summaries_room_status_through_idx
      ON summaries(room_id, status, through_seq DESC)
    """,
    """
    CREATE UNIQUE INDEX summaries_one_active_room_idx ON summaries(room_id)
      WHERE status = 'active'
    """,
)
