"""What too many texts begin a word with: the index would gather all of them before it gives a hit,
and could not be stopped meanwhile. One of the next texts has it, so it is looked for in them."""

import sqlite3
from collections.abc import Set as AbstractSet

MANY = 30_000
"""Texts with a word that begins so, each word of a text counted: some 6 ms to gather them."""
_LAST = "\U0010ffff"
_LIST = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_words USING fts5vocab('main', 'search_fts', 'row')
"""
"""A view of the index's words that no file keeps."""
_TEXTS = "SELECT doc FROM temp.search_words WHERE term >= ? AND term <= ?"


def common_of(conn: sqlite3.Connection, beginnings: AbstractSet[str]) -> frozenset[str]:
    """Those that too many texts have; counted no further than that."""
    if beginnings:
        conn.execute(_LIST)
    return frozenset(beginning for beginning in beginnings if _are_many(conn, beginning))


def _are_many(conn: sqlite3.Connection, beginning: str) -> bool:
    texts = 0
    for (more,) in conn.execute(_TEXTS, (beginning, beginning + _LAST)):
        texts += more
        if texts > MANY:
            return True
    return False
