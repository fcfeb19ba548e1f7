"""What a database is made of, as a set of facts that two databases can be compared by.

SQLite's introspection gives tables, columns, keys and indexes; what it does not show (CHECK,
partial-index WHERE, trigger bodies) comes from the normalised definitions. Column order and
spelling make no difference.
"""

import functools
import sqlite3
from collections.abc import Iterator
from itertools import groupby

import attrs

from groupx.store import ddl
from groupx.store.formats.chain import STEPS, run_step

_FTS_SHADOWS = ("_config", "_content", "_data", "_docsize", "_idx")

TOLERATED = {1: "approval_requests", 2: "approval_requests"}
"""Format → a table of any shape that it may have; step 3 drops it with all that is on it."""


@attrs.frozen(order=True)
class Fact:
    """One property of one object, like (`column`, `turns`, `status TEXT NOT NULL`)."""

    kind: str
    owner: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.owner}" + (f": {self.detail}" if self.detail else "")


def describe(conn: sqlite3.Connection, *, without: str | None = None) -> frozenset[Fact]:
    """Every fact of the main database but `sqlite_*` objects and FTS shadow tables.

    `without` names a table that is left out, with its indexes and triggers.
    """
    rows = conn.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_schema").fetchall()
    virtual = {name for _, name, _, sql in rows if _is_virtual(sql)}
    shadows = {name + suffix for name in virtual for suffix in _FTS_SHADOWS}
    facts: set[Fact] = set()
    for kind, name, table, sql in rows:
        if table in shadows or name.lower().startswith("sqlite_"):
            continue
        if without is not None and kind != "view" and table.lower() == without:
            continue
        if kind == "table" and name not in virtual:
            facts.update(_table(conn, name, sql))
        elif kind == "index":
            facts.add(Fact("index", name, _index(conn, table, name, sql)))
        else:
            facts.add(Fact(kind, name, ddl.normalise(sql)))
    return frozenset(facts)


@functools.cache
def reference(number: int) -> frozenset[Fact]:
    """The facts of format `number`, built in memory by the same steps."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for step in STEPS[:number]:
            run_step(conn, step, {"now": "", "database_id": ""})
        return describe(conn)
    finally:
        conn.close()


def differences(observed: frozenset[Fact], expected: frozenset[Fact]) -> tuple[str, ...]:
    """What is missing and what does not belong, one line each, in a stable order."""
    missing = [f"missing {fact}" for fact in sorted(expected - observed)]
    surplus = [f"unexpected {fact}" for fact in sorted(observed - expected)]
    return (*missing, *surplus)


def _is_virtual(sql: str | None) -> bool:
    return sql is not None and ddl.tokens(sql)[:2] == ("create", "virtual")


def _table(conn: sqlite3.Connection, table: str, sql: str) -> Iterator[Fact]:
    yield Fact("table", table, ", ".join(ddl.table_options(sql)))
    for _, name, declared, notnull, default, key, hidden in conn.execute(
        "SELECT * FROM pragma_table_xinfo(?)", (table,)
    ):
        parts = [
            name.lower(),
            declared.upper(),
            "NOT NULL" if notnull else "",
            "" if default is None else f"DEFAULT {ddl.normalise(default)}",
            f"KEY {key}" if key else "",
            f"HIDDEN {hidden}" if hidden else "",
        ]
        yield Fact("column", table, " ".join(filter(None, parts)))
    for check in ddl.checks(sql):
        yield Fact("check", table, check)
    yield from _foreign_keys(conn, table)
    for _, name, _, origin, _ in conn.execute("SELECT * FROM pragma_index_list(?)", (table,)):
        if origin != "c":
            yield Fact("constraint", table, f"{origin} ({_index_columns(conn, name)})")


def _foreign_keys(conn: sqlite3.Connection, table: str) -> Iterator[Fact]:
    rows = conn.execute(
        'SELECT id, "table", "from", "to", on_update, on_delete, "match" '
        "FROM pragma_foreign_key_list(?) ORDER BY id, seq",
        (table,),
    ).fetchall()
    for _, group in groupby(rows, key=lambda row: row[0]):
        columns = list(group)
        _, parent, _, _, on_update, on_delete, match = columns[0]
        own = ", ".join(row[2] for row in columns)
        theirs = ", ".join(row[3] or "(key)" for row in columns)
        rules = f"{on_update} {on_delete} {match}"
        yield Fact("foreign key", table, f"({own}) -> {parent}({theirs}) {rules}".lower())


def _index(conn: sqlite3.Connection, table: str, name: str, sql: str) -> str:
    (unique,) = conn.execute(
        'SELECT "unique" FROM pragma_index_list(?) WHERE name = ?', (table, name)
    ).fetchone()
    written, where = ddl.index_parts(sql)
    columns = _index_columns(conn, name) or written
    return f"{'unique ' if unique else ''}on {table} ({columns})" + (
        f" where {where}" if where else ""
    )


def _index_columns(conn: sqlite3.Connection, index: str) -> str:
    """The columns with direction and collation; "" when one of them is an expression."""
    rows = conn.execute(
        "SELECT name, desc, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", (index,)
    ).fetchall()
    if any(name is None for name, _, _ in rows):
        return ""
    return ", ".join(
        f"{name}{' desc' if desc else ''}{'' if coll == 'BINARY' else f' {coll}'}".lower()
        for name, desc, coll in rows
    )
