"""Which database this is."""

import sqlite3

import attrs

from groupx.domain.errors import ErrorCode, GroupXError


@attrs.frozen(kw_only=True)
class DatabaseIdentity:
    """Its format, and the random id that it was created with."""

    format: int
    database_id: str


def database_identity(conn: sqlite3.Connection, _query: None) -> DatabaseIdentity:
    """SCHEMA_CORRUPT when the ledger does not say."""
    row = conn.execute("SELECT format, database_id FROM groupx_schema, groupx_instance").fetchone()
    if row is None:
        raise GroupXError(
            ErrorCode.SCHEMA_CORRUPT,
            "The database does not say which one it is; nothing was changed. Restore a backup, "
            "or choose another database with GROUPX_DB.",
        )
    return DatabaseIdentity(format=row[0], database_id=row[1])
