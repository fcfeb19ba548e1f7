"""Format 2: how far each delivery of a prompt got, and at most one open attempt per turn.

An open attempt of format 1 that is not known to have begun may have been sent: it becomes
`prompt_invoked + unknown`. The certainty `terminal` said nothing of the delivery: `unknown`.
"""

NUMBER = 2
NAME = "turn_attempt_dispatch_reliability"

STATEMENTS = (
    """
    ALTER TABLE turn_attempts ADD COLUMN dispatch_phase TEXT NOT NULL DEFAULT 'prepared'
      CHECK (dispatch_phase IN ('prepared', 'prompt_invoked', 'native_started', 'terminal'))
    """,
    "ALTER TABLE turn_attempts ADD COLUMN prompt_invoked_at TEXT",
    """
    UPDATE turn_attempts SET
      dispatch_phase = CASE
        WHEN terminal_at IS NOT NULL THEN 'terminal'
        WHEN started_at IS NOT NULL OR delivery_certainty = 'delivered' THEN 'native_started'
        ELSE 'prompt_invoked'
      END
    """,
    """
    UPDATE turn_attempts SET delivery_certainty = 'unknown', prompt_invoked_at = claimed_at
      WHERE dispatch_phase = 'prompt_invoked'
    """,
    """
    UPDATE turn_attempts SET delivery_certainty = 'unknown'
      WHERE delivery_certainty = 'terminal'
        OR (dispatch_phase = 'native_started' AND delivery_certainty = 'not_delivered')
    """,
    """
    CREATE UNIQUE INDEX turn_attempts_one_current_idx ON turn_attempts(turn_id)
      WHERE terminal_at IS NULL
    """,
)
