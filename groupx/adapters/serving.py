"""A session from its program's first word to its last: the same course for every protocol."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Protocol

import trio

from groupx.adapters.connection import Connection
from groupx.adapters.contract import AdapterStartError, Interaction, NativeSession
from groupx.adapters.duplex import Duplex
from groupx.adapters.starting import asked_early, last_words, too_slow
from groupx.domain.limits import Timeouts


class ServedSession(NativeSession, Protocol):
    """What every protocol's session has besides."""

    @property
    def connection(self) -> Connection:
        """To its program."""
        ...

    @property
    def unprompted(self) -> Interaction | None:
        """What the program asked before any message."""
        ...


async def serve_session(
    session: ServedSession,
    open_it: Callable[[], Awaitable[None]],
    task_status: trio.TaskStatus[NativeSession],
) -> None:
    """Serve the session's connection until it ends; hand the session over once it is open.

    Raises the AdapterStartError of `open_it`, after the connection was let go of.
    """
    refused: AdapterStartError | None = None
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.connection.serve)
            try:
                await open_it()
            except AdapterStartError as error:
                refused = error
                nursery.cancel_scope.cancel()
            else:
                task_status.started(session)
    finally:
        session.closed.set()
    if refused is not None:
        raise refused


@contextmanager
def handshaking(session: ServedSession, program: Duplex, timeouts: Timeouts) -> Generator[None]:
    """Bound what opens the session. Raises AdapterStartError when the program was too slow, or
    asked something instead."""
    try:
        with trio.fail_after(timeouts.handshake / 1000):
            yield
    except trio.TooSlowError as error:
        if session.unprompted is not None:
            raise asked_early(session.unprompted) from error
        raise too_slow(error, timeouts, last_words(session.connection, program)) from error
    if session.unprompted is not None:
        raise asked_early(session.unprompted)
