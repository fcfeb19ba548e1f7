"""Scripted agents as real processes behind the adapter."""

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
import trio.testing

from conformance.dialects.acp import AcpDialect
from conformance.heard import Heard
from groupx.adapters.acp.adapter import AcpAdapter
from groupx.adapters.acp.drivers import ACP, AcpDriver
from groupx.adapters.contract import (
    Adapter,
    AdapterStartError,
    NativeEvent,
    NativeSession,
    SessionProfile,
    Started,
)
from groupx.domain.limits import Timeouts
from groupx.process.spawner import Spawner

TIMEOUTS = Timeouts(handshake=10_000, cancel=2_000, close=2_000)


class _NoGuardian:
    """Stands in for the process that ends trees once we are killed (tests/process tests it):
    most tests here are shorter than its start."""

    def __init__(self, *_: object) -> None: ...

    async def keep(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        task_status.started()
        await trio.sleep_forever()

    async def available(self, seconds: float) -> None: ...

    def add(self, pid: int, started: str) -> None: ...

    def remove(self, pid: int) -> None: ...


@pytest.fixture
async def spawner(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Spawner]:
    monkeypatch.setattr("groupx.process.spawner.Guardian", _NoGuardian)
    spawner = Spawner()
    await spawner.start()
    yield spawner
    await spawner.aclose()


@attrs.define
class Turn(Heard):
    """What one prompt reported."""

    _seen: dict[type, trio.Event] = attrs.field(factory=dict)

    def sink(self, event: NativeEvent) -> None:
        super().sink(event)
        self.seen(type(event)).set()

    def seen(self, kind: type) -> trio.Event:
        """Set once an event of that kind was reported."""
        return self._seen.setdefault(kind, trio.Event())

    @property
    def starts(self) -> int:
        return sum(isinstance(e, Started) for e in self.events)


@attrs.define
class Rig:
    """One scripted agent behind the adapter."""

    session: NativeSession
    log: Path

    async def prompt(self, text: str = "go") -> Turn:
        turn = Turn()
        turn.end = await self.session.prompt(text, turn.sink)
        return turn

    async def cancelled(self, kind: type | None = None) -> Turn:
        """A turn that is cancelled at its first event of that kind; None = at once."""
        turn = Turn()

        async def run() -> None:
            turn.end = await self.session.prompt("go", turn.sink)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            if kind is None:
                await trio.testing.wait_all_tasks_blocked()
            else:
                await turn.seen(kind).wait()
            await self.session.cancel()
        return turn

    @property
    def frames(self) -> list[dict[str, Any]]:
        """Everything that our side sent."""
        whole = self.log.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.split("\n") if line]

    def sent(self, kind: str) -> list[dict[str, Any]]:
        """Frames of that method or type, or control requests of that subtype."""

        def names(frame: dict[str, Any]) -> tuple[Any, ...]:
            return frame.get("method"), frame.get("type"), frame.get("request", {}).get("subtype")

        return [frame for frame in self.frames if kind in names(frame)]


Opener = Callable[..., AbstractAsyncContextManager[Rig]]


@pytest.fixture
def scripted(spawner: Spawner, tmp_path: Path) -> Opener:
    """`async with scripted(scenario, driver=… or adapter=…, **profile fields) as rig`."""

    @asynccontextmanager
    async def open_rig(
        scenario: dict[str, Any] | None = None,
        *,
        driver: AcpDriver = ACP,
        adapter: Adapter | None = None,
        program: Path = AcpDialect.agent,
        timeouts: Timeouts = TIMEOUTS,
        **fields: Any,
    ) -> AsyncIterator[Rig]:
        path, log = tmp_path / "scenario.json", tmp_path / "log.jsonl"
        path.write_text(json.dumps(scenario or {}))
        # The fixed arguments of the driver follow; the scripted agent ignores them.
        command = (sys.executable, "-E", "-s", "-S", str(program), str(path), str(log))
        profile = SessionProfile(
            **{
                "agent_id": "tester",
                "command": command,
                "cwd": str(tmp_path),
                "timeouts": timeouts,
                "run_dir": str(tmp_path),
                **fields,
            }
        )
        serve = (adapter or AcpAdapter(driver)).serve
        refused: AdapterStartError | None = None
        async with trio.open_nursery() as nursery:
            try:
                session = await nursery.start(serve, profile, spawner)
            except AdapterStartError as error:
                refused = error
            else:
                yield Rig(session=session, log=log)
                session.kill()
                await session.closed.wait()
        if refused is not None:
            raise refused

    return open_rig
