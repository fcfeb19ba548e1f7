"""Format 4: the transport is remembered with each instance, binding and turn.

What agents ran on before was always `structured`; people have none.
"""

NUMBER = 4
NAME = "snapshot_runtime_transport"

_COLUMN = "ADD COLUMN transport TEXT CHECK (transport IN ('direct', 'structured'))"
_OF_AGENTS = "WHERE actor_id IN (SELECT actor_id FROM actors WHERE kind = 'agent')"

STATEMENTS = (
    f"ALTER TABLE agent_instances {_COLUMN}",
    f"ALTER TABLE session_bindings {_COLUMN}",
    """
    ALTER TABLE turns ADD COLUMN transport TEXT NOT NULL DEFAULT 'structured'
      CHECK (transport IN ('direct', 'structured'))
    """,
    f"UPDATE agent_instances SET transport = 'structured' {_OF_AGENTS}",
    f"UPDATE session_bindings SET transport = 'structured' {_OF_AGENTS}",
)
