"""A scripted room with an assistant beside it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing

from groupx.actors.assistant import AssistantActor
from groupx.actors.assistant_board import AsideView, AssistantBoard
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import CancelAside, Read, SayAside, ToStore
from groupx.domain.config import AssistantConfig, BrainConfig
from groupx.domain.ids import ActorId
from groupx.domain.side_conversation import SaidAside, SideMessage, SideQuery
from groupx.store.queries.side_conversation import side_page
from tests.actors.fakes import FakeProgram, Room, open_room

CONFIG = AssistantConfig(
    enabled=True,
    name="Ann",
    brain=BrainConfig(driver="demo", cwd="/"),
    extra_instructions="Be kind.",
)
_KEY = ActorId("user:assistant")


class HeldStore:
    """The room's store; while `held` is one of its functions, its answer to that one waits."""

    def __init__(self, store: ActorRef[ToStore]) -> None:
        self._store = store
        self.held: Callable[..., Any] | None = None
        self.answer = trio.Event()

    async def ask(self, request: Any) -> Any:
        answer = await self._store.ask(request)
        if request.run is self.held:
            self.held = None
            await self.answer.wait()
        return answer

    async def tell(self, notice: Any) -> None:
        await self._store.tell(notice)


class Assisted:
    """The assistant, its scripted program, and its user."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.program = room.programs[_KEY] = FakeProgram()
        self.board = AssistantBoard(name="Ann", driver="demo", now_ms=room.now_ms)
        self.store = HeldStore(room.store)
        self.actor = AssistantActor(
            CONFIG,
            store=self.store,
            sessions=room.session_ports(_KEY),
            board=self.board,
            limits=room.limits,
            entropy=room.random.randbytes,
        )
        self.stopping = trio.Event()

    async def say(self, content: str = "who works?", command: str = "c1") -> SaidAside:
        return await self.actor.ref.ask(SayAside(client_command_id=command, content=content))

    async def cancel(self, command: str = "stop") -> None:
        await self.actor.ref.ask(CancelAside(client_command_id=command))

    async def messages(self) -> tuple[SideMessage, ...]:
        return (await self.room.store.ask(Read(side_page, SideQuery()))).messages

    async def aside(self, command: str = "c1") -> AsideView:
        found = [it for it in await self.messages() if it.client_command_id == command]
        return self.board.aside(found[0])

    async def settled(self) -> None:
        """Until nothing is under way that needs no word of the test."""
        await trio.testing.wait_all_tasks_blocked()

    async def prompt(self) -> Any:
        """The next prompt that reaches the program."""
        with trio.fail_after(3_600):
            return await self.program.next_prompt()

    def stop(self) -> None:
        self.stopping.set()


@asynccontextmanager
async def assisted(path: Path, *names: str, **options: Any) -> AsyncIterator[Assisted]:
    """A running room and its running assistant, stopped in order at the end."""
    async with open_room(path, *names, **options) as room:
        it = Assisted(room)
        over = trio.Event()

        async def run() -> None:
            await it.actor.run(it.stopping)
            over.set()

        room.nursery.start_soon(run)
        await it.settled()
        yield it
        it.stop()
        with trio.fail_after(3_600):
            await over.wait()
        del room.programs[_KEY]


def words(messages: tuple[SideMessage, ...]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]
