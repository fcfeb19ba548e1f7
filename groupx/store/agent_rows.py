"""Which agents the ledger knows: all that were ever in the config."""

import sqlite3

from groupx.domain.errors import ErrorCode, GroupXError

_AGENT = "SELECT 1 FROM actors WHERE actor_id = ? AND kind = 'agent'"


def must_be_agent(conn: sqlite3.Connection, actor_id: str) -> None:
    """UNKNOWN_ACTOR when there never was such an agent."""
    if not conn.execute(_AGENT, (actor_id,)).fetchone():
        raise GroupXError(
            ErrorCode.UNKNOWN_ACTOR,
            f"There is no agent '{actor_id}', so nothing is known of it and nothing was done.",
        )
