"""The listener: our own socket, hypercorn's connections, a stop that no client can hold up."""

import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import structlog
import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from groupx.actors.mailbox import Bell
from groupx.supervisor.child import ChildContext
from groupx.web.asgi import CONNECTION, App
from groupx.web.connection import Connection
from groupx.web.errors import log_failure
from groupx.web.http1 import HttpServer, http_config
from groupx.web.short_way import Takes

MAX_CONNECTIONS = 512
"""One more closes the one that is idle for longest; if none is idle, the new one is reset."""
GRACE_SECONDS = 1.0

_log = structlog.stdlib.get_logger("groupx.web")


class WebServer:
    """Serves one ASGI app on one listening socket, which it closes when it ends."""

    def __init__(
        self, listening: socket.socket, app: App, takes: Takes = lambda _method, _path: False
    ) -> None:
        """`takes`: what goes the short way."""
        self._listening = listening
        self._takes = takes
        self._app = ASGIWrapper(app)  # type: ignore[arg-type]
        self._config = http_config()
        self._context = WorkerContext(None)
        self._connections: set[Connection] = set()
        self._full = False
        self._changed = Bell()
        self._stop = trio.Event()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until `stop`; then idle connections end, busy ones have GRACE_SECONDS."""
        async with trio.open_nursery() as handlers:
            try:
                await self._accept(handlers, task_status)
                await self._context.terminated.set()
                await self._until(lambda: not self._connections)
            finally:
                self._reset(lambda _: True)
                handlers.cancel_scope.cancel()

    async def run_as_part(self, context: ChildContext) -> None:
        """`run` as a part of a tree: ready once it accepts, stopped when that is asked for."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self.run)
            context.ready()
            await context.stopping.wait()
            self.stop()

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._connections)

    def stop(self) -> None:
        """Close the listener and end `run`."""
        self._stop.set()

    async def end_streams(self) -> None:
        """Wait for SSE and WebSocket answers to end by themselves, then reset the rest.

        For the beginning of a shutdown, after the hub has released its readers.
        """
        await self._until(lambda: not any(one.streams for one in self._connections))
        self._reset(lambda one: one.streams > 0)

    async def _accept(self, handlers: trio.Nursery, status: trio.TaskStatus[None]) -> None:
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._listening))
        async with trio.open_nursery() as accepting:
            accepting.start_soon(
                partial(trio.serve_listeners, self._serve, [listener], handler_nursery=handlers)
            )
            status.started()
            await self._stop.wait()
            accepting.cancel_scope.cancel()

    async def _serve(self, accepted: trio.SocketStream) -> None:
        connection = Connection(accepted, self._changed.ring)
        if len(self._connections) >= MAX_CONNECTIONS and not self._give_up_idle():
            if not self._full:
                _log.error("too many busy connections; new ones are reset", most=MAX_CONNECTIONS)
            self._full = True
            connection.reset()
            return
        self._full = False
        state = ConnectionState({CONNECTION: connection})
        self._connections.add(connection)
        stream: Any = connection
        try:
            await HttpServer(
                self._takes, self._app, self._config, self._context, state, stream
            ).run()
        except Exception as error:
            # One connection's failure is its own; the listener goes on.
            log_failure("connection", error)
        finally:
            self._connections.discard(connection)
            self._changed.ring()

    def _give_up_idle(self) -> bool:
        """Close what is idle for longest. False when every connection answers something."""
        idle = [one for one in self._connections if one.idle_since is not None]
        if not idle:
            return False
        oldest = min(idle, key=lambda one: one.idle_since or 0.0)
        self._connections.discard(oldest)
        oldest.reset()
        return True

    async def _until(self, done: Callable[[], bool]) -> None:
        with trio.move_on_after(GRACE_SECONDS):
            while not done():
                await self._changed.wait()

    def _reset(self, which: Callable[[Connection], bool]) -> None:
        for connection in tuple(self._connections):
            if which(connection):
                connection.reset()
