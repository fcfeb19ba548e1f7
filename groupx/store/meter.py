"""How far a long piece of work on a database is, in thousandths; and whether it is still wanted."""

import contextlib
import sqlite3
from collections.abc import Callable, Generator

TOTAL = 1_000
_INSTRUCTIONS_PER_TICK = 50_000
"""SQLite instructions between two looks; a few milliseconds."""


class Meter:
    """Work in phases, each with its share of the thousand.

    `report(done, total)` is told when the thousandths grow, on the thread that does the work.
    Once `unwanted()` is true, SQLite gives up what it does with SQLITE_INTERRUPT.
    """

    def __init__(
        self, report: Callable[[int, int], None], *, unwanted: Callable[[], bool] = lambda: False
    ) -> None:
        self._report = report
        self._unwanted = unwanted
        self._begin = 0
        self._end = 0
        self._done = -1

    def phase(self, share: int) -> None:
        """The next `share` thousandths; the phase before is over."""
        self._begin, self._end = self._end, min(self._end + share, TOTAL)
        self.at(0)

    def at(self, fraction: float) -> None:
        """How much of the phase is done."""
        done = self._begin + int((self._end - self._begin) * min(fraction, 1))
        if done > self._done:
            self._done = done
            self._report(done, TOTAL)

    def copied(self, _status: int, remaining: int, total: int) -> None:
        """For `Connection.backup`: pages."""
        self.at(1 - remaining / max(total, 1))
        if self._unwanted():
            error = sqlite3.OperationalError("interrupted")
            error.sqlite_errorcode = sqlite3.SQLITE_INTERRUPT
            error.sqlite_errorname = "SQLITE_INTERRUPT"
            raise error

    @contextlib.contextmanager
    def counting(self, conn: sqlite3.Connection, expected: int) -> Generator[None]:
        """The phase by the instructions that `conn` runs, about `expected` in all."""
        run = 0

        def tick() -> bool:
            nonlocal run
            run += _INSTRUCTIONS_PER_TICK
            self.at(run / max(expected, 1))
            return self._unwanted()

        conn.set_progress_handler(tick, _INSTRUCTIONS_PER_TICK)
        try:
            yield
        finally:
            conn.set_progress_handler(None, 0)
