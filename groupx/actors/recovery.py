"""Recovery phase 2 of one lane: what the rows left open, by what the agent's own program says."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import trio

from groupx.actors.bells import AgentBells
from groupx.actors.lane import Lane
from groupx.actors.mailbox import Bell
from groupx.actors.messages import Read
from groupx.actors.pursuit import Answer, Pursuit
from groupx.actors.session_keeper import SessionPorts, profile_of
from groupx.actors.steadfast import insist
from groupx.actors.turn_end import Halt
from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    Failed,
    Reconciled,
)
from groupx.domain.aftermath import aftermath
from groupx.domain.attempts import DeliveryCertainty, Reconciliation
from groupx.domain.config import AgentConfig
from groupx.domain.ledger import OpenAttempt, Settlement, TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.recovery import NativeEnd
from groupx.domain.roster import AgentState
from groupx.domain.text import excerpt, without_surrogates
from groupx.domain.turns import TurnStatus
from groupx.process.killing import passed
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
_SILENT = (
    "{name} went on with this turn while GroupX was away, then fell silent for longer than the "
    "time allowed and was stopped."
)
_UNSTOPPED = (
    "{name} went on with this turn while GroupX was away. GroupX told it to stop and did not hear "
    "that it did, so it may still be at work on it."
)
_UNREACHED = (
    "{name} went on with this turn while GroupX was away and then could not be asked any more, so "
    "it may still be at work on it."
)
_CUT_OFF: Mapping[Halt | None, Cause] = MappingProxyType(
    {
        None: Cause.DAEMON_KILLED,
        Halt.CANCEL: Cause.DAEMON_KILLED,
        Halt.FORCE: Cause.DAEMON_KILLED,
        Halt.STOP: Cause.STOP_CONFIRMED,
        Halt.IDLE: Cause.IDLE,
    }
)
"""Why a turn was stopped that the user has not cancelled."""


class LaneRecovery:
    """An incarnation's first act. It may be cut short anywhere: the next one finds the turn as it
    was, or ended."""

    def __init__(
        self,
        agent: AgentConfig,
        lane: Lane,
        ports: SessionPorts,
        bells: AgentBells,
        *,
        stopping: trio.Event,
        report: Callable[[AgentState], None],
    ) -> None:
        """`stopping`: the agent is to stop; a turn that goes on is stopped with it."""
        self._agent = agent
        self._lane = lane
        self._ports = ports
        self._bells = bells
        self._stopping = stopping
        self._report = report

    async def run(self) -> None:
        """Until nothing of this lane is open any more, except what is queued; when it is to stop,
        what is not decided by then is left open."""
        self._report(AgentState.RECOVERING)
        pursuit: Pursuit | None = None
        async with trio.open_nursery() as nursery:

            async def obey_stop() -> None:
                await self._stopping.wait()
                if pursuit is None or not pursuit.halt(Halt.STOP):
                    nursery.cancel_scope.cancel()

            nursery.start_soon(obey_stop)
            adapter = self._ports.adapter
            able = frozenset({adapter.adapter_id} if adapter.can_reconcile else ())
            recovered = await self._lane.recover(reconcilable=able)
            deadline = trio.current_time() + RECOVERY_SECONDS
            for attempt in recovered.undecided:
                pursuit = Pursuit(attempt, self._ports.timeouts, deadline)
                answer = await self._pursue(pursuit)
                passed("recovery.phase2")
                await self._lane.settle(self._settlement(attempt, answer))
                if self._stopping.is_set():
                    break
            nursery.cancel_scope.cancel()

    # --- asking -------------------------------------------------------------------------------

    async def _pursue(self, pursuit: Pursuit) -> Answer:
        found = None
        with pursuit.scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._obey, self._bells.cancel, Halt.CANCEL, pursuit)
                nursery.start_soon(self._obey, self._bells.force, Halt.FORCE, pursuit)
                nursery.start_soon(pursuit.follow, self._report)
                found = await self._ask(pursuit)
                nursery.cancel_scope.cancel()
        return pursuit.answer(found)

    async def _ask(self, pursuit: Pursuit) -> Reconciled:
        ports = self._ports
        try:
            async with ports.folders.one("recovery") as folder:
                profile = profile_of(self._agent, ports, folder)
                return await ports.adapter.reconcile(
                    profile, ports.spawner, pursuit.past, pursuit.hear
                )
        except AdapterStartError:
            return Reconciled(Reconciliation.UNAVAILABLE)

    async def _obey(self, bell: Bell, halt: Halt, pursuit: Pursuit) -> None:
        """A bell may have been meant for an earlier turn: only the ledger says that it was not."""
        query = pursuit.attempt.turn_id
        while True:
            await bell.wait()
            if await insist(self._lane.store, Read(turn_status, query)) is TurnStatus.CANCELLING:
                pursuit.halt(halt)

    # --- what it means ------------------------------------------------------------------------

    def _settlement(self, attempt: OpenAttempt, answer: Answer) -> Settlement:
        found, heard = answer.found, answer.heard
        proven = None if found.end is None else _PROVEN[type(found.end)]
        completed = proven is NativeEnd.COMPLETED
        matched = answer.went_on or found.native_turn_id is not None
        more = len(heard.response) > len(attempt.partial_text or "")
        end = TerminalCommand(
            turn_id=attempt.turn_id,
            attempt_id=attempt.attempt_id,
            cause=_CUT_OFF[answer.halted if proven is NativeEnd.STOPPED else None],
            error_code=str(found.end.code) if isinstance(found.end, Failed) else None,
            message=self._message(attempt, answer),
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

    def _message(self, attempt: OpenAttempt, answer: Answer) -> str:
        found, name = answer.found, self._agent.name
        if isinstance(found.end, Failed):
            return excerpt(without_surrogates(found.end.message), MAX_MESSAGE_CHARACTERS)
        matched = answer.went_on or found.native_turn_id is not None
        delivered = matched or attempt.certainty is DeliveryCertainty.DELIVERED
        said = _SAID[found.outcome]
        if answer.went_on and found.outcome is Reconciliation.MATCHED_RUNNING:
            said = _UNREACHED if answer.halted is None else _UNSTOPPED
        elif answer.halted is Halt.IDLE and matched:
            said = _SILENT
        return f"{said.format(name=name)} {aftermath(delivered=delivered)}"
