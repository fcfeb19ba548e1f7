"""Format 6: an agent's memories are core or dated; those written before are core."""

NUMBER = 6
NAME = "split_agent_core_and_dated_memory"

_UNLESS_MATCHING = """
  WHEN (NEW.scope_type = 'agent' AND NEW.agent_memory_type IS NULL)
    OR (NEW.scope_type <> 'agent' AND NEW.agent_memory_type IS NOT NULL)
  BEGIN
    SELECT RAISE(ABORT, 'agent_memory_type must match agent scope');
  END
"""

STATEMENTS = (
    """
    ALTER TABLE memory_records ADD COLUMN agent_memory_type TEXT
      CHECK (agent_memory_type IN ('core', 'dated'))
    """,
    "UPDATE memory_records SET agent_memory_type = 'core' WHERE scope_type = 'agent'",
    """
    CREATE INDEX memory_agent_type_status_created_idx
      ON memory_records(scope_type, scope_id, agent_memory_type, status, created_at DESC)
    """,
    f"CREATE TRIGGER memory_records_agent_type_bi BEFORE INSERT ON memory_records"
    f"{_UNLESS_MATCHING}",
    f"CREATE TRIGGER memory_records_agent_type_bu "
    f"BEFORE UPDATE OF scope_type, agent_memory_type ON memory_records{_UNLESS_MATCHING}",
)
