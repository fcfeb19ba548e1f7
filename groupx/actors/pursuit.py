"""One turn whose end nobody saw: asked after in bounded time, and followed if it goes on."""

from collections.abc import Callable

import attrs
import trio

from groupx.actors.accumulator import Accumulator
from groupx.actors.silence import Silence
from groupx.actors.turn_end import Halt
from groupx.adapters.contract import (
    ContentDelta,
    NativeEvent,
    PastAttempt,
    ReasoningDelta,
    Reconciled,
    ToolUpdate,
)
from groupx.domain.attempts import Reconciliation
from groupx.domain.ledger import OpenAttempt
from groupx.domain.limits import Timeouts
from groupx.domain.roster import AgentState
from groupx.domain.turns import TurnStatus

FORCED_SECONDS = 2.0
"""For the program to hear that it is to stop, when the user will not wait for its consent."""


@attrs.frozen
class Answer:
    """What the program said of a turn, what its turn had said and done, and why it was stopped."""

    found: Reconciled
    heard: Accumulator
    halted: Halt | None = None
    went_on: bool = False
    """The program was seen to be still at work on it."""


class Pursuit:
    """One undecided attempt while its program is asked."""

    def __init__(self, attempt: OpenAttempt, timeouts: Timeouts, deadline: float) -> None:
        """`deadline` is for the question; a turn that goes on has the bounds of any turn."""
        self.attempt = attempt
        self.past = PastAttempt(
            attempt_id=attempt.attempt_id,
            native_session_id=attempt.native_session_id,
            native_turn_id=attempt.native_turn_id,
        )
        self.scope = trio.CancelScope(deadline=deadline)
        self.heard = Accumulator()
        self.halted: Halt | None = None
        """Why a turn that goes on is to stop; the first reason stands."""
        self._timeouts = timeouts
        self._at_most = float("inf")
        """When a turn that goes on is given up."""
        self._silence = Silence(timeouts, lambda: True)  # a tool may be open since before
        if attempt.status is TurnStatus.CANCELLING:
            self.halt(Halt.CANCEL)

    def hear(self, event: NativeEvent) -> None:
        """The driver's sink."""
        if isinstance(event, ContentDelta):
            self.heard.add_content(event)
        elif isinstance(event, ReasoningDelta):
            self.heard.add_reasoning(event.text)
        elif isinstance(event, ToolUpdate):
            self.heard.add_tool(event)
        self._silence.heard()

    def answer(self, found: Reconciled | None) -> Answer:
        """`found`, None where the time was over. A turn that was seen at work had been found,
        however its program fell silent."""
        went_on = self.past.goes_on.is_set()
        if found is None or (went_on and found.outcome is Reconciliation.UNAVAILABLE):
            found = Reconciled(
                Reconciliation.MATCHED_RUNNING if went_on else Reconciliation.UNAVAILABLE,
                native_turn_id=self.past.native_turn_id if went_on else None,
            )
        return Answer(found, self.heard, self.halted, went_on)

    def halt(self, why: Halt) -> bool:
        """Stop the turn if it goes on, for the first reason; whether it does. By force, also the
        question is given up."""
        goes_on = self.past.goes_on.is_set()
        self.halted = self.halted or why
        self.past.stop.set()
        if why is Halt.FORCE:
            self._give_up_after(FORCED_SECONDS if goes_on else 0)
        return goes_on

    async def follow(self, report: Callable[[AgentState], None]) -> None:
        """If the turn goes on, lift the bound of the question, and end it when it falls silent."""
        await self.past.goes_on.wait()
        self.scope.deadline = self._at_most
        self._silence.heard()
        if not self.past.stop.is_set():
            report(AgentState.WORKING)
            await self._until_stopped()
        report(AgentState.CANCELLING)
        self._give_up_after(2 * (self._timeouts.cancel + self._timeouts.request) / 1000)

    def _give_up_after(self, seconds: float) -> None:
        self._at_most = min(self._at_most, trio.current_time() + seconds)
        self.scope.deadline = self._at_most

    async def _until_stopped(self) -> None:
        async with trio.open_nursery() as nursery:

            async def watch_silence() -> None:
                await self._silence.too_long()
                self.halt(Halt.IDLE)

            nursery.start_soon(watch_silence)
            await self.past.stop.wait()
            nursery.cancel_scope.cancel()
