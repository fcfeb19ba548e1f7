"""How far the ledger goes."""

import sqlite3


def through_seq(conn: sqlite3.Connection, _query: None) -> int:
    """The newest seq of any room; 0 for an empty ledger."""
    return int(conn.execute("SELECT ifnull(max(seq), 0) FROM events").fetchone()[0])
