"""The index as a whole: it says of itself by which rules its texts were cut into tokens.

That is a document of its own, with one token that no text has. So it is emptied and filled with the
index, is there in every file that has one, and is found in no search, as no row tells of it.
"""

import sqlite3

from groupx.domain.search_text import CUT

_RULES_DOC = 0
"""Texts have numbers above or below."""
_FIND = "SELECT 1 FROM search_fts WHERE search_fts MATCH ? AND rowid = ?"
_EMPTY = (
    "INSERT INTO search_fts (search_fts) VALUES ('delete-all')",
    "DELETE FROM search_docs",
    "UPDATE search_state SET indexed_through_seq = 0",
)
_SAY = "INSERT INTO search_fts (rowid, content) VALUES (?, ?)"


def empty_index(conn: sqlite3.Connection) -> None:
    """Forget every text: all are to be indexed, by the rules of now."""
    for statement in _EMPTY:
        conn.execute(statement)
    conn.execute(_SAY, (_RULES_DOC, CUT))


def keep_in_step(conn: sqlite3.Connection) -> None:
    """Empty an index whose texts were cut by other rules: what it is asked for would not be found,
    and what it is told to forget would stay."""
    if conn.execute(_FIND, (f'"{CUT}"', _RULES_DOC)).fetchone() is None:
        empty_index(conn)
