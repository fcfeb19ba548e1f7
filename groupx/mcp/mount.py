"""Where /mcp enters the web server: a bearer becomes a caller before the SDK sees the request."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol

import trio

from groupx.actors.callers import Caller, Callers, Desk
from groupx.domain.errors import ErrorCode, GroupXError

LOADING_SECONDS = 15.0
"""The first request waits this long for the tools to be there."""

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Manager(Protocol):
    """One caller's server, as the SDK serves it."""

    def run(self) -> Any:
        """Its life, as an async context manager."""
        ...

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One HTTP request."""
        ...


OpenDesk = Callable[[Caller], Manager]
GONE = "groupx.gone"
"""Where a scope holds the event that says that its client has left."""


class McpMount:
    """One server for each caller, made at its first request and ended with its session."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._load: Callable[[], Awaitable[OpenDesk]] | None = None
        self._open: OpenDesk | None = None
        self._loading = trio.Lock()
        self._opening = trio.Lock()
        self._managers: dict[Caller, Manager] = {}
        self._nursery: trio.Nursery | None = None

    async def run(
        self,
        load: Callable[[], Awaitable[OpenDesk]],
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve until cancelled. `load` brings what is heavy, once a request needs it."""
        async with trio.open_nursery() as self._nursery:
            self._load = load
            task_status.started()
            await trio.sleep_forever()

    def caller(self, authorization: str | None, desk: Desk) -> Caller:
        """Who sent this; UNAUTHORIZED when its bearer is nobody's, or no longer."""
        scheme, _, bearer = (authorization or "").partition(" ")
        caller = self._callers.find(bearer, desk) if scheme.lower() == "bearer" else None
        if caller is None:
            raise _nobody()
        return caller

    async def serve(self, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
        """One HTTP request of `caller`. MCP_UNAVAILABLE while there is no server for it,
        UNAUTHORIZED when its session has ended meanwhile."""
        manager = await self._manager(caller)
        gone = trio.Event()

        async def watched() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.set()
            return message

        try:
            await manager.handle_request({**scope, GONE: gone}, watched, send)
        finally:
            gone.set()

    async def _manager(self, caller: Caller) -> Manager:
        with trio.move_on_after(LOADING_SECONDS):
            await self._be_loaded()
        if self._open is None or self._nursery is None:
            raise GroupXError(
                ErrorCode.MCP_UNAVAILABLE,
                "The room's tools are not there yet; nothing was done. Call again in a moment.",
            )
        async with self._opening:
            if caller.gone.is_set():
                raise _nobody()
            found = self._managers.get(caller)
            return found or await self._nursery.start(self._keep, self._open, caller)

    async def _be_loaded(self) -> None:
        async with self._loading:
            if self._open is None and self._load is not None:
                self._open = await self._load()

    async def _keep(
        self,
        open_desk: OpenDesk,
        caller: Caller,
        task_status: trio.TaskStatus[Manager] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        manager = open_desk(caller)
        async with manager.run():
            self._managers[caller] = manager
            task_status.started(manager)
            try:
                await caller.gone.wait()
            finally:
                del self._managers[caller]


def _nobody() -> GroupXError:
    return GroupXError(
        ErrorCode.UNAUTHORIZED,
        "These tools are for the agents of the room, each with the bearer of its running "
        "session; this is none, or its session has ended. Nothing was done.",
    )
