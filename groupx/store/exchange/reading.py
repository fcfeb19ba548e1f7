"""How an export reads: it asks for bounded pages, and whoever drives it decides on which store.

An export is a generator that yields `Ask` (send it the answer) and `bytes` (write them).
"""

import sqlite3
from collections.abc import Callable, Generator, Iterator
from typing import Any

import attrs

from groupx.domain.limits import MAX_PAGE_BYTES, MAX_PAGE_EVENTS

Row = tuple[Any, ...]


@attrs.frozen
class Ask:
    """One query of the store's; its answer is what the export is sent next."""

    run: Callable[[sqlite3.Connection, Any], Any]
    query: Any


Export = Generator[Ask | bytes, Any, None]


@attrs.frozen(kw_only=True)
class RowsQuery:
    """A page of `sql`, which takes `values`, then after, through and limit; its rows begin with
    the number that they are in the order of."""

    sql: str
    after: int
    through: int
    values: tuple[Any, ...] = ()


def read_rows(conn: sqlite3.Connection, query: RowsQuery) -> list[Row]:
    """At most 200 rows or 4 MiB; at least one when there is one."""
    rows: list[Row] = []
    size = 0
    values = (*query.values, query.after, query.through, MAX_PAGE_EVENTS)
    for row in conn.execute(query.sql, values):
        size += sum(len(value) for value in row if isinstance(value, str))
        if rows and size > MAX_PAGE_BYTES:
            break
        rows.append(row)
    return rows


def run(export: Export, conn: sqlite3.Connection) -> Iterator[bytes]:
    """Drive an export on a connection of one's own."""
    answer: Any = None
    while True:
        try:
            said = export.send(answer)
        except StopIteration:
            return
        if isinstance(said, Ask):
            answer = said.run(conn, said.query)
        else:
            answer = None
            yield said
