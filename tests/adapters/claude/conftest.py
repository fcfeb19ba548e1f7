"""A scripted stream-json program as a real process behind the adapter."""

import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio
import trio.testing

from groupx.adapters.claude.adapter import ClaudeAdapter
from groupx.adapters.contract import (
    AdapterStartError,
    ContentDelta,
    NativeSession,
    ReasoningDelta,
    SessionProfile,
    Started,
    ToolUpdate,
)
from groupx.domain.limits import Timeouts

PROGRAM = Path(__file__).parents[3] / "conformance" / "agents" / "stream_json_scripted.py"
TIMEOUTS = Timeouts(handshake=10_000, cancel=2_000, close=2_000)


class Turn:
    """What one prompt reported."""

    def __init__(self):
        self.events, self.end = [], None
        self._seen = {}

    def sink(self, event):
        self.events.append(event)
        self.seen(type(event)).set()

    def seen(self, kind):
        """Set once an event of that kind was reported."""
        return self._seen.setdefault(kind, trio.Event())

    @property
    def text(self):
        return "".join(e.text for e in self.events if isinstance(e, ContentDelta))

    @property
    def reasoning(self):
        return "".join(e.text for e in self.events if isinstance(e, ReasoningDelta))

    @property
    def tools(self):
        return [e for e in self.events if isinstance(e, ToolUpdate)]

    @property
    def starts(self):
        return sum(isinstance(e, Started) for e in self.events)


@attrs.define
class Rig:
    """One scripted program behind the adapter."""

    session: NativeSession
    log: Path

    async def prompt(self, text="go"):
        turn = Turn()
        turn.end = await self.session.prompt(text, turn.sink)
        return turn

    async def cancelled(self, kind=None):
        """A turn that is cancelled at its first event of that kind; None = at once."""
        turn = Turn()

        async def run():
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
    def frames(self):
        """Everything that our side sent."""
        whole = self.log.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.split("\n") if line]

    def sent(self, kind):
        """Frames of that type, or control requests of that subtype."""
        return [f for f in self.frames if kind in (f["type"], f.get("request", {}).get("subtype"))]


@pytest.fixture
def scripted(spawner, tmp_path):
    """`async with scripted(*turns, resume=…, timeouts=…, **other parts of the scenario)`."""

    @asynccontextmanager
    async def open_rig(*turns, scenario=None, **fields):
        path, log = tmp_path / "scenario.json", tmp_path / "log.jsonl"
        path.write_text(json.dumps({"user": turns, **(scenario or {})}))
        profile = SessionProfile(
            **{
                "agent_id": "tester",
                "command": (sys.executable, "-S", str(PROGRAM), str(path), str(log)),
                "cwd": str(tmp_path),
                "timeouts": TIMEOUTS,
                "run_dir": str(tmp_path),
                **fields,
            }
        )
        refused = None
        async with trio.open_nursery() as nursery:
            try:
                session = await nursery.start(ClaudeAdapter().serve, profile, spawner)
            except AdapterStartError as error:
                refused = error
            else:
                yield Rig(session=session, log=log)
                session.kill()
                await session.closed.wait()
        if refused is not None:
            raise refused

    return open_rig


@pytest.fixture
def refusal(scripted):
    """How a start that comes to nothing is told."""

    async def of(scenario, **fields):
        with pytest.raises(AdapterStartError) as caught:
            async with scripted(scenario=scenario, **fields):
                pass
        return caught.value

    return of
