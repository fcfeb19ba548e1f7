"""Every guarantee is on, and a setting that does not take is an error."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import connection
from groupx.store.connection import PRAGMAS, Pragma, open_connection


@pytest.fixture
def wide_open() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_every_setting_is_on(tmp_path: Path) -> None:
    conn = open_connection(tmp_path / "x.db")
    settings = {
        pragma.name: conn.execute(f"PRAGMA {pragma.name}").fetchone()[0] for pragma in PRAGMAS
    }
    assert settings == {
        "busy_timeout": 5000,
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "wal_autocheckpoint": 1000,
        "cache_size": -32768,
        "temp_store": 2,
    }
    assert conn.isolation_level is None
    conn.close()


def test_memory_has_no_wal() -> None:
    conn = open_connection(":memory:")
    assert conn.execute("PRAGMA journal_mode").fetchone() == ("memory",)
    conn.close()


@pytest.mark.usefixtures("wide_open")
def test_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    conn = open_connection(tmp_path / "x.db")
    conn.execute("CREATE TABLE t (a)")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"x.db": 0o600, "x.db-wal": 0o600, "x.db-shm": 0o600}
    conn.close()


def test_a_setting_that_does_not_take_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PRAGMAS", (Pragma("synchronous", "FULL", 3),))
    with pytest.raises(GroupXError, match="synchronous = FULL") as caught:
        open_connection(tmp_path / "x.db")
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    assert caught.value.details == {"pragma": "synchronous", "expected": 3, "observed": 2}


def test_a_directory_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(GroupXError, match="could not be created"):
        open_connection(tmp_path / "none" / "x.db")


def test_turning_wal_on_waits_for_who_is_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        other.execute("ROLLBACK")

    monkeypatch.setattr(connection.time, "sleep", pause)
    monkeypatch.setattr(
        connection, "PRAGMAS", tuple(p for p in PRAGMAS if p.name == "journal_mode")
    )
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 5_000)
    real = sqlite3.connect
    monkeypatch.setattr(
        connection.sqlite3, "connect", lambda *args, **kw: real(*args, **kw, timeout=0)
    )
    conn = open_connection(path)
    assert len(pauses) == 1
    conn.close()
    other.close()
