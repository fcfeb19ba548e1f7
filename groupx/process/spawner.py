"""Starts child processes and answers for their end."""

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from secrets import token_hex

import trio

from groupx.process.child import ChildProcess, TreeNotEnded
from groupx.process.environment import RUN_VARIABLE, child_environment, run_mark, tree_mark
from groupx.process.fork_thread import ForkThread
from groupx.process.framing import MAX_LINE_BYTES
from groupx.process.guardian import Guardian
from groupx.process.launch import Launched, SpawnError, launch
from groupx.process.reaper import Reaper
from groupx.process.system import adopt_orphans

__all__ = ["SpawnError", "Spawner"]

SPAWN_SECONDS = 30.0
WRITE_SECONDS = 30.0
GUARDIAN_WAIT_SECONDS = 5.0


class Spawner:
    """The one way to start a child process. Create, `start`, use `open`, `aclose`.

    Its services (guardian, reaper, one attendant a child) are system tasks: they go on while
    whoever opened a child is being cancelled, and need no nursery of the caller's.
    """

    def __init__(self) -> None:
        self.run_id = token_hex(16)
        """Marks every process we start, so that stragglers can be found later."""
        self._begun = False
        self._count = 0
        self._owned: dict[int, ChildProcess | None] = {}
        self._services: trio.Nursery | None = None
        self._scope = trio.CancelScope()
        self._up = trio.Event()
        self._down = trio.Event()
        self._fault: Exception | None = None

    async def start(self) -> None:
        """Start the services; from the main thread, once. Raises SpawnError."""
        self._begun = True
        adopt_orphans()
        self._forks = ForkThread()
        self._guardian = Guardian(run_mark(self.run_id), self._forks, self._owned)
        trio.lowlevel.spawn_system_task(self._serve, name="groupx-spawner")
        await self._up.wait()
        if self._fault:
            raise SpawnError(
                f"Agents cannot be started: {self._fault}. Restart GroupX."
            ) from self._fault

    async def aclose(self) -> None:
        """End every tree that is left, then the guardian. Bounded. Raises TreeNotEnded."""
        if not self._begun:
            return
        with trio.CancelScope(shield=True):
            try:
                for child in self._children():
                    await child.end()
            finally:
                self._scope.cancel()
                await self._down.wait()
                self._forks.close()

    def open(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        max_line_bytes: int = MAX_LINE_BYTES,
        write_seconds: float = WRITE_SECONDS,
        secrets: Sequence[str] = (),
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """Start `argv` (no shell). Raises SpawnError. Leaving the block ends the whole tree.

        `env` is the child's complete environment, as `child_environment` makes it; None = ours
        minus what children must not see. What it says is read without the `secrets` that it is
        told. A tree that cannot be ended raises TreeNotEnded, unless the block is left by another
        exception.
        """
        complete = child_environment(os.environ, {}) if env is None else env
        return self._open(
            argv,
            cwd=cwd,
            env=complete,
            max_line_bytes=max_line_bytes,
            write_seconds=write_seconds,
            secrets=secrets,
        )

    @asynccontextmanager
    async def _open(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None,
        env: Mapping[str, str],
        max_line_bytes: int,
        write_seconds: float,
        secrets: Sequence[str],
    ) -> AsyncGenerator[ChildProcess]:
        self._count += 1
        label = f"{self.run_id}.{self._count}"
        launched = await self._launch(argv, cwd, {**env, RUN_VARIABLE: label})
        child = ChildProcess(
            launched,
            mark=tree_mark(label),
            max_line_bytes=max_line_bytes,
            write_seconds=write_seconds,
            secrets=secrets,
        )
        assert self._services is not None
        self._owned[child.pid] = child
        self._guardian.add(child.pid, launched.started)
        self._services.start_soon(child.attend, name=f"groupx-child-{child.pid}")
        try:
            yield child
        except BaseException:
            with suppress(TreeNotEnded):  # what was raised matters more; `survivors` tells
                await self._close(child)
            raise
        else:
            await self._close(child)

    async def _launch(
        self, argv: Sequence[str], cwd: str | None, env: Mapping[str, str]
    ) -> Launched:
        self._check_open()
        try:
            await self._guardian.available(GUARDIAN_WAIT_SECONDS)
        except SpawnError:
            self._check_open()  # a deeper reason goes first
            raise
        launched = None
        with trio.move_on_after(SPAWN_SECONDS):
            launched = await self._forks.run(
                lambda: launch(argv, cwd=cwd, env=env), Launched.discard
            )
        if launched is not None:
            try:
                self._check_open()
            except SpawnError:
                launched.discard()
                raise
            return launched
        self._forks.renew()
        raise SpawnError(
            f"{argv[0]} was not started within {SPAWN_SECONDS:g} s. "
            "Check that its folder can be read."
        )

    def _check_open(self) -> None:
        if self._services is None or self._fault or self._scope.cancel_called:
            raise SpawnError(f"No agent is started now: {self._fault or 'GroupX is stopping'}.")

    async def _close(self, child: ChildProcess) -> None:
        with trio.CancelScope(shield=True):
            try:
                await child.end()
            finally:
                await child.aclose()
                self._guardian.remove(child.pid)
                self._owned.pop(child.pid, None)

    async def _serve(self) -> None:
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    self._services = nursery
                    await nursery.start(Reaper(self._owned).run)
                    await nursery.start(self._guardian.keep)
                    self._up.set()
        except Exception as error:
            self._fault = _innermost(error)
            for child in self._children():
                child.kill_tree()
        finally:
            self._up.set()
            self._down.set()

    def _children(self) -> list[ChildProcess]:
        return [child for child in self._owned.values() if child]


def _innermost(error: Exception) -> Exception:
    match error:
        case ExceptionGroup(exceptions=[Exception() as only]):
            return _innermost(only)
        case _:
            return error
