"""A native session of a program that is no member of the room: nothing of it is written down."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import trio

from groupx.actors.callers import Caller
from groupx.actors.session_keeper import SLACK_SECONDS, SessionPorts, profile_of, start_seconds
from groupx.adapters.contract import AdapterStartError, McpServer, NativeSession
from groupx.domain.config import AgentConfig
from groupx.domain.errors import ErrorCode


class PrivateSession:
    """Keeps at most one, always a new one. Its serving task lives in its user's nursery."""

    def __init__(
        self,
        program: AgentConfig,
        ports: SessionPorts,
        nursery: trio.Nursery,
        *,
        folder: str,
        caller: Callable[[], Caller] | None = None,
    ) -> None:
        """`folder`: what its private folders' names begin with. `caller`: who the program acts as
        in the room; None = it has none of the room's tools."""
        self._folder = folder
        self._caller = caller
        self._program = program
        self._ports = ports
        self._nursery = nursery
        self._serving = trio.CancelScope()
        self._ended = trio.Event()
        self.current: NativeSession | None = None
        self.introduced = False
        """Whether the one that is open was sent its first prompt."""

    @property
    def usable(self) -> bool:
        """Whether another prompt may be sent into the one that is open."""
        session = self.current
        return session is not None and session.usable and not session.closed.is_set()

    async def open(self) -> NativeSession:
        """Start the program once; AdapterStartError."""
        await self.drop()
        serving, ended = self._serving, self._ended = trio.CancelScope(), trio.Event()
        seconds = start_seconds(self._ports.timeouts)
        with trio.move_on_after(seconds):
            session: NativeSession = await self._nursery.start(self._serve, serving, ended)
            self.current, self.introduced = session, False
            return session
        raise AdapterStartError(
            ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT,
            f"{self._program.name} gave no session within {seconds:g} s and its start was given "
            "up. Nothing was sent to it. Run its program by hand to see where it stops.",
        )

    async def close(self) -> None:
        """End the session by the stop ladder, each step bounded."""
        session = self.current
        if session is None:
            return
        with trio.move_on_after(3 * self._ports.timeouts.close / 1000 + SLACK_SECONDS):
            await session.close()
            await self._ended.wait()
        await self.drop()

    async def drop(self) -> None:
        """End what is left of it now."""
        session, self.current = self.current, None
        if session is None:
            return
        session.kill()
        with trio.move_on_after(self._ports.timeouts.close / 1000):
            await self._ended.wait()
        self._serving.cancel()
        await self._ended.wait()

    async def _serve(
        self,
        serving: trio.CancelScope,
        ended: trio.Event,
        task_status: trio.TaskStatus[NativeSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        try:
            with serving, self._admitted() as mcp:
                async with self._ports.folders.one(self._folder) as folder:
                    profile = profile_of(self._program, self._ports, folder, mcp=mcp)
                    await self._ports.adapter.serve(
                        profile, self._ports.spawner, task_status=task_status
                    )
        finally:
            ended.set()

    def _admitted(self) -> AbstractContextManager[McpServer | None]:
        if self._caller is None:
            return nullcontext()
        return self._ports.callers.admitted(self._caller())
