"""What callers hand to the store: one write or one read, and where its outcome goes."""

import sqlite3
from collections.abc import Callable
from typing import Any

import attrs
import trio
from outcome import Outcome

from groupx.domain.commits import CommitFacts
from groupx.store.transaction import Transaction

DEFAULT_READ_MS = 50
"""What a read may compute; on an idle machine also the most that it can hold writers up."""


@attrs.define(eq=False, kw_only=True)
class Job:
    """One submitted call; `result` is set before `task` is woken with it."""

    argument: Any
    task: trio.lowlevel.Task | None = None
    result: Outcome[Any] | None = None


@attrs.define(eq=False, kw_only=True)
class WriteJob(Job):
    """A write function and its command; `facts` is what it made true."""

    run: Callable[[Transaction, Any], Any]
    facts: CommitFacts | None = None


@attrs.define(eq=False, kw_only=True)
class ReadJob(Job):
    """A query function, its query, and how many milliseconds it may run."""

    run: Callable[[sqlite3.Connection, Any], Any]
    deadline_ms: int = DEFAULT_READ_MS
