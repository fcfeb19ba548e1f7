"""How far a long piece of work is, for somebody who waits at a terminal or reads a log."""

import contextlib
import sys

import click


class ProgressLine:
    """`<what>: 42 %`, rewritten in place at a terminal; elsewhere a line for every tenth."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._in_place = sys.stdout.isatty()
        self._shown = -1
        self._open = False

    def show(self, done: int, total: int) -> None:
        """`done` of `total`. Nobody has to be listening."""
        percent = 100 * done // max(total, 1)
        if not self._in_place:
            percent -= percent % 10
        if percent <= self._shown:
            return
        self._shown = percent
        text = f"{self._what}: {percent} %"
        self._open = self._in_place
        with contextlib.suppress(OSError):
            click.echo(f"\r{text}" if self._in_place else text, nl=not self._in_place)

    def end(self) -> None:
        """What is written next begins a line of its own."""
        if self._open:
            self._open = False
            with contextlib.suppress(OSError):
                click.echo()


def upgrading() -> ProgressLine:
    """For the upgrade of a database."""
    return ProgressLine("Upgrading the database, this happens once")
