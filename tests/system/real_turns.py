"""What the tests of real programs share: turns of a session, and what a program leaves behind."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing

from conformance.heard import Heard
from conformance.mock import MockModel
from conformance.real_programs import RealProgram
from groupx.adapters.contract import (
    ContentDelta,
    NativeEvent,
    NativeSession,
    PromptEnd,
    SessionProfile,
    Started,
    ToolUpdate,
)
from groupx.adapters.registry import adapter_for
from groupx.process.spawner import Spawner

TURN_SECONDS = 40


class Turn(Heard):
    """What was seen of one prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = trio.Event()
        self.text_began = trio.Event()
        self.tool_opened = trio.Event()
        self.tool_began = trio.Event()

    def sink(self, event: NativeEvent) -> None:
        super().sink(event)
        if isinstance(event, Started):
            self.begun.set()
        if isinstance(event, ContentDelta):
            self.text_began.set()
        if isinstance(event, ToolUpdate):
            self.tool_opened.set()
        if isinstance(event, ToolUpdate) and event.status == "in_progress":
            self.tool_began.set()

    @property
    def outcome(self) -> tuple[str, type[PromptEnd] | None]:
        return self.text, type(self.end) if self.end else None


async def ask(session: NativeSession, text: str) -> Turn:
    """One prompt, to its end."""
    turn = Turn()
    with trio.fail_after(TURN_SECONDS):
        turn.end = await session.prompt(text, turn.sink)
    return turn


async def ask_and_cancel(
    session: NativeSession, text: str, when: Callable[[Turn], trio.Event] | None = None
) -> Turn:
    """One prompt, cancelled at an event of it: at once if none is named."""
    turn = Turn()

    async def run() -> None:
        with trio.fail_after(TURN_SECONDS):
            turn.end = await session.prompt(text, turn.sink)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        if when is None:
            await trio.testing.wait_all_tasks_blocked(0.01)
        else:
            await when(turn).wait()
        await session.cancel()
    return turn


@asynccontextmanager
async def opened(
    driver: str, profile: SessionProfile, spawner: Spawner, *, close: bool = False
) -> AsyncIterator[NativeSession]:
    """A session that is killed at the end, or closed, which may take some seconds.

    Raises AdapterStartError as `serve` does."""
    async with trio.open_nursery() as nursery:
        session = await nursery.start(adapter_for(driver).serve, profile, spawner)
        try:
            yield session
            if close:
                await session.close()
            else:
                session.kill()
            await session.closed.wait()
        finally:
            nursery.cancel_scope.cancel()


def prompts(model: MockModel, program: RealProgram, words: str) -> list[dict[str, Any]]:
    """The requests for an answer to a prompt with these words. What a program asks besides (a
    title, which model to take) offers no tools."""
    return [asked for asked in model.prompts_with(words, program.dialect) if asked["tools"]]


def living_in(home: Path) -> list[str]:
    """The command lines of the processes whose HOME that is."""
    mark = f"HOME={home}".encode()
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                line = (process / "cmdline").read_bytes()
                found.append(line.replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue  # it has ended
    return found


def files_with(folder: Path, words: str) -> list[str]:
    """The files below `folder` that contain the words."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
    return [str(file) for file in files if words.encode() in file.read_bytes()]
