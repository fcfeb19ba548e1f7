"""Agents of a scripted room that use their tools, without a socket in between."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
import trio

from groupx.actors.event_hub import EventHubActor
from groupx.actors.messages import SendMessage
from groupx.adapters.contract import Started
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import Limits, Timeouts
from groupx.domain.supervision import Supervision
from groupx.mcp.desks import TOOLS
from groupx.mcp.room import RoomFace
from groupx.mcp.tool import MAX_RESULT_BYTES, Call
from groupx.setup.desk import SetupDesk
from tests.actors.fakes import FakePrompt, Room, open_room

Script = Callable[[FakePrompt], Awaitable[None]]

NEWEST = """
SELECT max(seq) FROM events WHERE event_type <> 'turn.started' AND event_type NOT LIKE 'session.%'
"""
"""The newest event that a call may have made: a turn's beginning and other agents' sessions are
written down meanwhile."""


@asynccontextmanager
async def acting(
    path: Path, *names: str, limits: Limits | None = None, timeouts: Timeouts | None = None
) -> AsyncIterator["Stage"]:
    """A running room with these agents."""
    async with open_room(path, *names, limits=limits, timeouts=timeouts) as room:
        room.nursery.start_soon(EventHubActor(room.hub).run)
        yield Stage(room, path)


class Stage:
    """A room, and what its agents do when they are prompted."""

    def __init__(self, room: Room, path: Path) -> None:
        self.room = room
        self.told: list[str] = []
        self.face = RoomFace(
            broker=room.broker.ref,
            context=room.context.ref,
            store=room.store,
            directory=room.directory,
            hub=room.hub,
            timeouts=room.timeouts,
            ids=room.ids,
            setup=SetupDesk(
                path / "groupx.json", drivers=("demo",), port=4310, revision_key=b"", running=None
            ),
        )

    def script(self, name: str, script: Script) -> None:
        """What agent `name` does with each prompt; it may call `use`."""
        self.room.programs[f"agent:{name}"].script = script  # type: ignore[index]

    async def use(self, prompt: FakePrompt, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool with the bearer that the prompted session was given."""
        server = prompt.session.profile.mcp
        assert server is not None
        caller = self.room.callers.find(server.bearer, "member")
        assert caller is not None
        call = Call(caller=caller, room=self.face, tell=self._tell)
        answer = await TOOLS["member"][tool](call, arguments)
        data = orjson.dumps(answer)
        assert len(data) <= MAX_RESULT_BYTES
        return orjson.loads(data)

    async def refused(self, prompt: FakePrompt, tool: str, **arguments: Any) -> ErrorCode:
        """The code that a call is refused with; nothing may have been stored."""
        before = self.room.rows(NEWEST)
        with pytest.raises(GroupXError) as error:
            await self.use(prompt, tool, **arguments)
        assert self.room.rows(NEWEST) == before
        return error.value.code

    async def run(self, name: str, script: Script, content: str = "go") -> str:
        """Prompt `name`, which then does this; the turn when it has ended."""
        played = self._play(name, script)
        [turn] = await self.room.send(f"agent:{name}", content=content)
        await played.over.wait()
        played.check()
        await self.room.ended(turn)
        return turn

    async def pair(self, worker: Script, observer: Script, content: str = "the task") -> "Pair":
        """`a` works and `b` watches it; their turns once `b` has ended."""
        self.script("a", worker)
        played = self._play("b", observer)
        accepted = await self.room.broker.ref.ask(
            SendMessage(
                client_command_id="the-pair",
                to=("agent:a",),
                content=content,
                supervision=Supervision(observers=("agent:b",)),
            )
        )
        await played.over.wait()
        played.check()
        assert accepted.watch_turns is not None
        [work], [watch] = accepted.turns, accepted.watch_turns
        await self.room.ended(watch.turn_id)
        return Pair(work.turn_id, watch.turn_id, accepted.message_event_id)

    def _play(self, name: str, script: Script) -> "Played":
        played = Played(script)
        self.script(name, played)
        return played

    async def _tell(self, message: str) -> None:
        self.told.append(message)


class Pair(NamedTuple):
    """A worker's turn, the turn that watched it, and the task's message."""

    subject: str
    watch: str
    task: str


class Played:
    """A script that ends its turn whatever happens, and keeps why it failed."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._failures: list[Exception] = []
        self.over = trio.Event()

    async def __call__(self, prompt: FakePrompt) -> None:
        """Play it."""
        try:
            await self._script(prompt)
        except Exception as error:
            self._failures.append(error)
        finally:
            prompt.answer("over")
            self.over.set()

    def check(self) -> None:
        """Raise what it failed by."""
        if self._failures:
            raise self._failures[0]


def says(text: str, seconds: float = 1.0) -> Script:
    """Works so long, then answers; a cancel ends it."""

    async def script(prompt: FakePrompt) -> None:
        prompt.emit(Started("native-turn"))
        with trio.move_on_after(seconds):
            await prompt.cancelled.wait()
            return
        prompt.answer(text)

    return script
