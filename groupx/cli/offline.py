"""A config's database while no room of it runs: held by the same lease that the room would hold."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

import attrs

from groupx.cli.failures import Refused
from groupx.cli.place import Place
from groupx.cli.running import Running, find_running, locked
from groupx.domain.commands import CommandKey
from groupx.domain.ids import WEB_BINDING, IdSource
from groupx.domain.limits import Limits
from groupx.domain.times import iso_from_ms
from groupx.store.meter import Meter
from groupx.store.opening import open_ledger
from groupx.store.transaction import Transaction
from groupx.supervisor.lease import LeaseImpossible, LeaseTaken, RunLease

C = TypeVar("C")
R = TypeVar("R")


@attrs.frozen(kw_only=True)
class Offline:
    """The database that this command alone may use now."""

    database: Path
    """Canonical."""
    backups: Path


def running_or_none(place: Place) -> Running | None:
    """The room of this config, if it runs. Refused when somebody holds it and does not answer."""
    running = find_running(place)
    if running is None and locked(place):
        raise Refused(
            f"a process holds the lock of {place.data} but answers nowhere, so nothing was done. "
            "If a room of this config is just starting or stopping, try again in a moment."
        )
    return running


@contextlib.contextmanager
def leased(place: Place, *, must_exist: bool = True) -> Generator[Offline]:
    """The config's database under the lease. Refused when there is none, or it is held."""
    _, paths = place.load()
    if paths.database is None:
        raise Refused("this config's database is in memory, so there is no file of it.")
    database = Path(os.path.realpath(paths.database))
    if must_exist and not database.exists():
        raise Refused(
            f"there is no database at {database} (by {paths.choice.rule}), so there is nothing to "
            "do. `groupx debug paths` shows which one is used and why."
        )
    try:
        lease = RunLease.acquire(database, Path(paths.data))
    except LeaseTaken as error:
        raise Refused(
            f"a running room holds {error.path}, so nothing was done. Stop it first "
            "(`groupx stop`, with its config; "
            f"`lsof {error.path}` names its process)."
        ) from None
    except LeaseImpossible as error:
        raise Refused(str(error)) from None
    with lease:
        yield Offline(database=database, backups=Path(paths.backups))


@contextlib.contextmanager
def ledger(offline: Offline) -> Generator[sqlite3.Connection]:
    """The open ledger, as the room would open it."""
    conn = open_ledger(
        offline.database, now_iso=iso_from_ms(now_ms()), database_id=new_database_id()
    )
    try:
        yield conn
    finally:
        conn.close()


def write(conn: sqlite3.Connection, run: Callable[[Transaction, C], R], command: C) -> R:
    """One transaction on the ledger, as the store's thread makes it."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        result = run(Transaction(conn, IdSource(now_ms, os.urandom), now_ms, Limits()), command)
        conn.execute("COMMIT")
    except BaseException:
        conn.rollback()
        raise
    return result


def unrepeated(command_type: str) -> CommandKey:
    """Of a command that nobody repeats: there is no one to be answered twice."""
    return CommandKey(
        binding_id=WEB_BINDING, client_command_id=None, command_type=command_type, request={}
    )


def new_database_id() -> str:
    """For a database that has none yet."""
    return IdSource(now_ms, os.urandom).new("database")


def silent_meter() -> Meter:
    """Nobody is told how far it is."""
    return Meter(lambda _done, _total: None)


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
