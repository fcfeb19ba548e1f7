"""Where a case plays: it opens sessions of the program through its own driver."""

import tempfile
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs
import trio

from groupx.adapters.contract import Adapter, Completed, Failed, NativeSession, SessionProfile
from groupx.capabilities.labels import Status
from groupx.capabilities.transcript import Transcript, Turn
from groupx.process.child import TreeNotEnded
from groupx.process.spawner import Spawner

CLOSE_SLACK_SECONDS = 5.0


class CaseFailed(Exception):
    """The program broke what GroupX relies on; the message says how."""


@attrs.frozen
class Finding:
    """What a case came to."""

    status: Status
    detail: str = ""


PASSED = Finding(Status.PASSED)


@attrs.frozen(kw_only=True)
class Stage:
    """What the cases of one run share."""

    adapter: Adapter
    spawner: Spawner
    profile: SessionProfile
    """Its `run_dir` is an existing private folder; each session gets one of its own in it."""
    directives: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """Case → what makes the program's mock model use a tool, where it is not the driver's row."""

    @asynccontextmanager
    async def session(
        self, transcript: Transcript, **changes: Any
    ) -> AsyncGenerator[NativeSession]:
        """An open session of the profile with `changes`; closed, and its tree gone, afterwards.

        Raises AdapterStartError when none could be opened.
        """
        fault: Exception | None = None
        with _tree_ends(), tempfile.TemporaryDirectory(dir=self.profile.run_dir) as folder:
            profile = attrs.evolve(self.profile, run_dir=folder, **changes)
            async with trio.open_nursery() as nursery:
                try:
                    session = await nursery.start(self.adapter.serve, profile, self.spawner)
                    transcript.opened(session.facts)
                    try:
                        yield session
                    finally:
                        await self._end(session, transcript)
                except Exception as error:  # raised as it is, and not as one of a group
                    fault = error
                nursery.cancel_scope.cancel()
        if fault is not None:
            raise fault

    async def _end(self, session: NativeSession, transcript: Transcript) -> None:
        seconds = self.profile.timeouts.close / 1000 + CLOSE_SLACK_SECONDS
        with trio.move_on_after(seconds, shield=True):
            await session.close()
            await session.closed.wait()
            transcript.note("closed")
            return
        session.kill()
        transcript.note("did not close, and was killed")


@contextmanager
def _tree_ends() -> Generator[None]:
    try:
        yield
    except ExceptionGroup as group:
        if group.subgroup(TreeNotEnded) is None:
            raise
        raise CaseFailed("Processes of it did not end even when they were killed.") from group


async def ask(session: NativeSession, transcript: Transcript, text: str) -> Turn:
    """One prompt, to its end."""
    turn = Turn(transcript)
    transcript.note(f"prompt {text!r}")
    turn.ended(await session.prompt(text, turn.sink))
    return turn


def completed(turn: Turn) -> Turn:
    """The turn, which ended well. Raises CaseFailed."""
    if not isinstance(turn.end, Completed):
        message = turn.end.message if isinstance(turn.end, Failed) else turn.words
        raise CaseFailed(f"The turn did not complete: {message}")
    return turn
