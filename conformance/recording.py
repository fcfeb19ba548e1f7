"""One prompt of a case: it is sent, something is done meanwhile, everything is written down."""

import attrs
import trio

from groupx.adapters.contract import (
    ContentDelta,
    NativeEvent,
    NativeSession,
    ReasoningDelta,
    ToolUpdate,
)

from .case import Moment, Turn
from .heard import Heard

KINDS: dict[type, Moment] = {
    ContentDelta: "text",
    ReasoningDelta: "reasoning",
    ToolUpdate: "tool",
}
TICKS = 10
"""Turns of the scheduler in which an idle session has put a prompt on its way."""


@attrs.define
class Recording(Heard):
    """What one prompt reported, and what was done to it."""

    cancelled: bool = False
    killed: bool = False
    after_end: int = 0
    """Events that were reported when it had ended."""
    _moments: dict[Moment, trio.Event] = attrs.field(factory=dict[Moment, trio.Event])

    def sink(self, event: NativeEvent) -> None:
        if self.end is not None:
            self.after_end += 1
        super().sink(event)
        if self.cancelled:
            self._moment("more").set()
        if type(event) in KINDS:
            self._moment(KINDS[type(event)]).set()

    def _moment(self, moment: Moment) -> trio.Event:
        return self._moments.setdefault(moment, trio.Event())

    async def wait_for(self, moment: Moment) -> None:
        if moment == "sent":
            for _ in range(TICKS):
                await trio.lowlevel.checkpoint()
        else:
            await self._moment(moment).wait()

    @property
    def segments(self) -> int:
        """Native messages that had any text."""
        pieces = [event for event in self.events if isinstance(event, ContentDelta)]
        return sum(piece.new_segment for piece in pieces[1:]) + bool(pieces)


async def record(session: NativeSession, turn: Turn) -> Recording:
    """Send the prompt and do what the turn says; returns when both are done."""
    recording = Recording()
    if "idle" in turn.cancel_at:
        await session.cancel()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_meanwhile, session, turn, recording, nursery.cancel_scope)
        recording.end = await session.prompt(turn.prompt, recording.sink)
        nursery.cancel_scope.cancel()
    if "idle" in turn.cancel_at:
        await session.cancel()
    return recording


async def _meanwhile(
    session: NativeSession, turn: Turn, recording: Recording, prompting: trio.CancelScope
) -> None:
    for moment in turn.cancel_at:
        if moment != "idle":
            await recording.wait_for(moment)
            recording.cancelled = True
            await session.cancel()
    if turn.kill_at is not None:
        await recording.wait_for(turn.kill_at)
        recording.killed = True
        session.kill()
    if turn.abandon_at is not None:
        await recording.wait_for(turn.abandon_at)
        prompting.cancel()
