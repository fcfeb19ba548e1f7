"""What GroupX needs of the machine itself."""

import platform
import sqlite3
import sys

import attrs

OLDEST_PYTHON = (3, 11)


@attrs.frozen(kw_only=True)
class Check:
    """One thing that was looked at; `detail` says what was found and, if need be, what to do."""

    name: str
    ok: bool
    detail: str


def machine_checks() -> tuple[Check, ...]:
    """The Python that runs this, and its SQLite."""
    return (_python(), _sqlite())


def _python() -> Check:
    ok = sys.version_info >= OLDEST_PYTHON
    needed = ".".join(map(str, OLDEST_PYTHON))
    detail = f"{platform.python_version()} at {sys.executable}"
    if not ok:
        detail += f"; GroupX needs {needed} or newer: install it with one"
    return Check(name="Python", ok=ok, detail=detail)


def _sqlite() -> Check:
    version = sqlite3.sqlite_version
    conn = sqlite3.connect(":memory:")
    try:
        conn.execute("CREATE VIRTUAL TABLE looks USING fts5(word)")
    except sqlite3.OperationalError as error:
        detail = (
            f"{version}, which has no full-text search ({error}): the room cannot be searched. "
            "Use a Python whose SQLite has FTS5, such as python.org's or your system's"
        )
        return Check(name="SQLite", ok=False, detail=detail)
    finally:
        conn.close()
    return Check(name="SQLite", ok=True, detail=f"{version} with FTS5")
