"""Recovery phase 2 of one lane: what the rows left open, by what the agent's own program says."""

from collections.abc import Mapping
from types import MappingProxyType

import attrs
import trio

from groupx.actors.accumulator import Accumulator
from groupx.actors.bells import AgentBells
from groupx.actors.lane import Lane
from groupx.actors.messages import Read
from groupx.actors.session_keeper import SessionPorts
from groupx.actors.steadfast import insist
from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    NativeEvent,
    PastAttempt,
    ReasoningDelta,
    Reconciled,
    SessionProfile,
    ToolUpdate,
)
from groupx.domain.aftermath import aftermath
from groupx.domain.attempts import DeliveryCertainty, Reconciliation
from groupx.domain.config import AgentConfig
from groupx.domain.kill_points import KILL_POINTS
from groupx.domain.ledger import OpenAttempt, Settlement, TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.recovery import NativeEnd
from groupx.domain.text import excerpt, without_surrogates
from groupx.domain.turns import TurnStatus
from groupx.store.queries.turn_status import turn_status

RECOVERY_SECONDS = 30.0
"""For all that one lane has to ask; what is not known by then is interrupted."""
MAX_MESSAGE_CHARACTERS = 1_000

_PROVEN: Mapping[type, NativeEnd] = MappingProxyType(
    {Completed: NativeEnd.COMPLETED, Failed: NativeEnd.FAILED, Cancelled: NativeEnd.STOPPED}
)
_SAID: Mapping[Reconciliation, str] = MappingProxyType(
    {
        Reconciliation.MATCHED_RUNNING: (
            "GroupX ended while {name} had this turn, and {name}'s record of it has no end."
        ),
        Reconciliation.MATCHED_TERMINAL: (
            "GroupX ended while {name} worked on this turn, and {name} stopped it there."
        ),
        Reconciliation.NOT_FOUND: (
            "GroupX ended while {name} had this turn, and {name} has no record of it."
        ),
        Reconciliation.UNAVAILABLE: (
            "GroupX ended while {name} had this turn, and {name} could not be asked about it."
        ),
        Reconciliation.UNSUPPORTED: (
            "GroupX ended while {name} had this turn, and cannot tell how it went on."
        ),
    }
)
"""What happened to a turn whose end is not known; what it means is said after it."""


@attrs.frozen
class _Answer:
    """What the program said of a turn, and what its turn had said and done."""

    found: Reconciled
    heard: Accumulator


class LaneRecovery:
    """An incarnation's first act. It only reads and may be cut short anywhere: the next one finds
    the turn as it was, or ended."""

    def __init__(
        self, agent: AgentConfig, lane: Lane, ports: SessionPorts, bells: AgentBells
    ) -> None:
        self._agent = agent
        self._lane = lane
        self._ports = ports
        self._bells = bells

    async def run(self) -> None:
        """Until nothing of this lane is open any more, except what is queued."""
        adapter = self._ports.adapter
        able = frozenset({adapter.adapter_id} if adapter.can_reconcile else ())
        recovered = await self._lane.recover(reconcilable=able)
        deadline = trio.current_time() + RECOVERY_SECONDS
        for attempt in recovered.undecided:
            answer = await self._ask(attempt, deadline)
            if KILL_POINTS.reached:
                KILL_POINTS.reached("recovery.phase2")
            await self._lane.settle(self._settlement(attempt, answer))

    # --- asking -------------------------------------------------------------------------------

    async def _ask(self, attempt: OpenAttempt, deadline: float) -> _Answer:
        answer = _Answer(Reconciled(Reconciliation.UNAVAILABLE), Accumulator())
        with trio.move_on_at(deadline):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._obey_force, attempt.turn_id, nursery.cancel_scope)
                answer = await self._asked(attempt)
                nursery.cancel_scope.cancel()
        return answer

    async def _asked(self, attempt: OpenAttempt) -> _Answer:
        heard = Accumulator()
        past = PastAttempt(
            attempt_id=attempt.attempt_id,
            native_session_id=attempt.native_session_id,
            native_turn_id=attempt.native_turn_id,
            cancelling=attempt.status is TurnStatus.CANCELLING,
        )
        ports = self._ports
        try:
            async with ports.folders.one("recovery") as folder:
                found = await ports.adapter.reconcile(
                    self._profile(str(folder)),
                    ports.spawner,
                    past,
                    lambda event: _take(heard, event),
                )
        except AdapterStartError:
            found = Reconciled(Reconciliation.UNAVAILABLE)
        return _Answer(found, heard)

    async def _obey_force(self, turn_id: str, asking: trio.CancelScope) -> None:
        """A user who will not wait for the program's consent does not wait for its word either."""
        while True:
            await self._bells.force.wait()
            if await insist(self._lane.store, Read(turn_status, turn_id)) is TurnStatus.CANCELLING:
                asking.cancel()

    def _profile(self, folder: str) -> SessionProfile:
        agent = self._agent
        return SessionProfile(
            agent_id=agent.id,
            command=agent.command,
            args=agent.args,
            cwd=agent.cwd,
            env=agent.env,
            mode=agent.mode,
            timeouts=self._ports.timeouts,
            run_dir=folder,
        )

    # --- what it means ------------------------------------------------------------------------

    def _settlement(self, attempt: OpenAttempt, answer: _Answer) -> Settlement:
        found, heard = answer.found, answer.heard
        proven = None if found.end is None else _PROVEN[type(found.end)]
        completed = proven is NativeEnd.COMPLETED
        matched = found.native_turn_id is not None
        more = len(heard.response) > len(attempt.partial_text or "")
        end = TerminalCommand(
            turn_id=attempt.turn_id,
            attempt_id=attempt.attempt_id,
            cause=Cause.DAEMON_KILLED,
            error_code=str(found.end.code) if isinstance(found.end, Failed) else None,
            message=self._message(attempt, found),
            evidence=matched,
            native_turn_id=found.native_turn_id,
            response=heard.response if completed else None,
            final_offset=heard.final_offset if completed else None,
            truncated=heard.truncated,
            reasoning=heard.reasoning,
            reasoning_truncated=heard.reasoning_truncated,
            tools=heard.tools(),
            partial_text=heard.response if more and not completed else None,
            reconciliation=found.outcome,
            local_date=self._lane.local_date(),
        )
        return Settlement(proven=proven, end=end)

    def _message(self, attempt: OpenAttempt, found: Reconciled) -> str:
        if isinstance(found.end, Failed):
            return excerpt(without_surrogates(found.end.message), MAX_MESSAGE_CHARACTERS)
        matched = found.native_turn_id is not None
        delivered = matched or attempt.certainty is DeliveryCertainty.DELIVERED
        said = _SAID[found.outcome].format(name=self._agent.name)
        return f"{said} {aftermath(delivered=delivered)}"


def _take(heard: Accumulator, event: NativeEvent) -> None:
    if isinstance(event, ContentDelta):
        heard.add_content(event)
    elif isinstance(event, ReasoningDelta):
        heard.add_reasoning(event.text)
    elif isinstance(event, ToolUpdate):
        heard.add_tool(event)
