"""Agents of a scripted room that use their tools, without a socket in between."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
import trio

from groupx.actors.event_hub import EventHubActor
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import Limits
from groupx.mcp.desks import TOOLS
from groupx.mcp.room import RoomFace
from groupx.mcp.tool import MAX_RESULT_BYTES, Call
from tests.actors.fakes import FakePrompt, Room, open_room

Script = Callable[[FakePrompt], Awaitable[None]]


@asynccontextmanager
async def acting(path: Path, *names: str, limits: Limits | None = None) -> AsyncIterator["Stage"]:
    """A running room with these agents."""
    async with open_room(path, *names, limits=limits) as room:
        room.nursery.start_soon(EventHubActor(room.hub).run)
        yield Stage(room)


class Stage:
    """A room, and what its agents do when they are prompted."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.told: list[str] = []
        self.face = RoomFace(
            broker=room.broker.ref,
            store=room.store,
            directory=room.directory,
            hub=room.hub,
            limits=room.limits,
            timeouts=room.timeouts,
            ids=room.ids,
            now_ms=room.now_ms,
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
        before = self.room.rows("SELECT max(seq) FROM events")
        with pytest.raises(GroupXError) as error:
            await self.use(prompt, tool, **arguments)
        assert self.room.rows("SELECT max(seq) FROM events") == before
        return error.value.code

    async def run(self, name: str, script: Script, content: str = "go") -> str:
        """Prompt `name`, which then does this; the turn when it has ended."""
        failure: list[BaseException] = []
        over = trio.Event()

        async def watched(prompt: FakePrompt) -> None:
            try:
                await script(prompt)
            except Exception as error:
                failure.append(error)
            finally:
                prompt.answer("over")
                over.set()

        self.script(name, watched)
        [turn] = await self.room.send(f"agent:{name}", content=content)
        await over.wait()
        if failure:
            raise failure[0]
        await self.room.ended(turn)
        return turn

    async def _tell(self, message: str) -> None:
        self.told.append(message)


def says(text: str, seconds: float = 1.0) -> Script:
    """Works so long, then answers; a cancel ends it."""

    async def script(prompt: FakePrompt) -> None:
        with trio.move_on_after(seconds):
            await prompt.cancelled.wait()
            return
        prompt.answer(text)

    return script
