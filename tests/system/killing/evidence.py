"""What is left after a case for the checker to look at: commands, agents' logs, databases."""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs

from tests.store.released import snapshot
from tests.system.daemon import Json
from tests.system.killing.agents import Seen

Dump = dict[str, list[dict[str, Any]]]

_OF_A_RUN = (
    "agent_instances", "session_bindings", "context_usage", "sqlite_sequence", "search_state",
)  # fmt: skip
"""Tables that tell of processes and sessions, or of how far those events are indexed: every start
of the daemon changes them."""


@attrs.define
class Command:
    """One message that somebody posted, and what was answered; None when nothing was."""

    command_id: str
    to: tuple[str, ...]
    marker: str
    """In the message's content, and in no other."""
    answer: Json | None = None
    again: Json | None = None
    """What the same command was answered after the last restart."""

    @property
    def content(self) -> str:
        """What is said."""
        return f"Please work on {self.marker}."


@attrs.frozen(kw_only=True)
class Evidence:
    """Everything that is known from outside the daemon."""

    commands: tuple[Command, ...]
    seen: Mapping[str, Seen]
    """Actor → what its agent received, over all runs."""
    at_death: Dump
    """The ledger as the killed run left it."""
    at_end: Path
    """The database after everything ended and the daemon was stopped."""
    after_restart: Dump
    """The ledger after one more start and stop with nothing to do."""


@contextmanager
def reading(database: Path) -> Iterator[sqlite3.Connection]:
    """A look at a copy: a killed daemon's database is left exactly as it is."""
    assert database.exists(), f"there is no {database}"
    with TemporaryDirectory(prefix="groupx-look-") as folder:
        for file in database.parent.glob(f"{database.name}*"):
            if file.suffix != ".lock" and not file.name.endswith("-shm"):
                shutil.copyfile(file, Path(folder) / file.name)
        with closing(sqlite3.connect(Path(folder) / database.name)) as conn:
            yield conn


def dump(database: Path) -> Dump:
    """Every row but what each start adds: instances, bindings, the events of their sessions."""
    with reading(database) as conn:
        rows = snapshot(conn)
    for name in _OF_A_RUN:
        rows.pop(name, None)
    rows["events"] = [row for row in rows["events"] if not row["event_type"].startswith("session.")]
    return rows
