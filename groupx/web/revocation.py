"""What a token opened ends with it."""

from collections.abc import Awaitable, Callable

import attrs
import trio

from groupx.web.connection import Connection
from groupx.web.token import Token

LOOK_SECONDS = 15.0
"""How often an open stream looks whether the token's file was changed without anybody asking."""
CLOSING_SECONDS = 1.0
"""For the last bytes to a client that reads; then the connection is reset."""


@attrs.frozen
class Pass:
    """The token as a request that it let in has seen it."""

    _token: Token
    _revoked: trio.Event

    async def revoked(self) -> None:
        """Wait until that token does not count any more."""
        while self._token.revoked is self._revoked:
            with trio.move_on_after(LOOK_SECONDS):
                await self._revoked.wait()


def pass_of(token: Token) -> Pass:
    """For a request that was let in just now."""
    return Pass(token, token.revoked)


async def until_revoked(
    admitted: Pass, serve: Callable[[], Awaitable[None]], connection: Connection | None
) -> bool:
    """Serve one stream; whether it was ended because what let it in was revoked."""
    failure: Exception | None = None
    cut, served = trio.Event(), trio.Event()
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            await admitted.revoked()
            cut.set()
            nursery.cancel_scope.cancel()
            with trio.move_on_after(CLOSING_SECONDS, shield=True):
                await served.wait()
            if connection is not None and not served.is_set():
                connection.reset()

        nursery.start_soon(watch)
        try:
            await serve()
        except Exception as error:
            failure = error  # as itself, not in a group
        finally:
            served.set()
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return cut.is_set()
