"""A copy is private, of one moment, whole, and leaves nothing when it is not."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.connection import open_connection
from groupx.store.copying import verified_copy
from groupx.store.formats.chain import create_current
from groupx.store.meter import Meter
from tests.store.released import reading, snapshot

SILENT = Meter(lambda done, total: None)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "room.db"
    with closing(open_connection(path)) as conn:
        create_current(conn, now_iso="t", database_id="d")
    return path


def test_what_is_committed_is_copied_and_what_is_not_is_not(database: Path) -> None:
    target = database.with_name("copy.db")
    with closing(open_connection(database)) as writer:
        writer.execute("UPDATE rooms SET title = 'committed'")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE rooms SET title = 'not yet'")
        umask = os.umask(0)
        try:
            verified_copy(database, target, SILENT)
        finally:
            os.umask(umask)
        writer.execute("COMMIT")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with reading(target) as conn:
        assert snapshot(conn)["rooms"][0]["title"] == "committed"
    assert sorted(file.name for file in database.parent.iterdir()) == ["copy.db", "room.db"]


@pytest.mark.parametrize("there", ["a file", "a folder", "a link"])
def test_nothing_is_written_over(there: str, database: Path) -> None:
    target = database.with_name("copy.db")
    if there == "a file":
        target.write_text("mine")
    elif there == "a folder":
        target.mkdir()
    else:
        target.symlink_to(database)
    before = database.read_bytes()
    with pytest.raises(GroupXError, match="No good copy") as caught:
        verified_copy(database, target, SILENT)
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert there != "a file" or target.read_text() == "mine"
    assert database.read_bytes() == before


def test_a_damaged_database_gives_no_copy(database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as conn:
        (page,) = conn.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'turns_correlation_idx'"
        ).fetchone()
    data = bytearray(database.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    database.write_bytes(data)
    with pytest.raises(GroupXError, match="No good copy") as caught:
        verified_copy(database, database.with_name("copy.db"), SILENT)
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert not database.with_name("copy.db").exists()
