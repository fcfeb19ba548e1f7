"""The actor of one agent: one lane, one native session, one turn at a time."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import attrs
import orjson
import trio

from groupx.actors.bells import AgentBells
from groupx.actors.directory import AgentDirectory
from groupx.actors.in_vain import IN_A_ROW, PAUSE_SECONDS, InVain
from groupx.actors.lane import Lane
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToContext, ToStore, Write
from groupx.actors.racing import first_of, unless
from groupx.actors.recovery import LaneRecovery
from groupx.actors.session_keeper import OpenSession, SessionKeeper, SessionPorts
from groupx.actors.steadfast import insist
from groupx.actors.transient import Transients
from groupx.actors.turn_end import TurnEnd
from groupx.actors.turn_packets import TurnPackets
from groupx.actors.turn_run import TurnPorts, TurnRun
from groupx.actors.turn_voice import Speaker, TurnVoice
from groupx.adapters.contract import AdapterStartError
from groupx.domain.config import AgentConfig
from groupx.domain.context_reset import SessionEra
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import ClaimCommand, Claimed, LaneHead
from groupx.domain.outcomes import ENDINGS
from groupx.domain.packet import Packet
from groupx.domain.roster import AgentState
from groupx.domain.text import excerpt
from groupx.domain.views import ErrorView, ProgramView
from groupx.store.session_era import session_era
from groupx.store.transactions.claim import claim
from groupx.store.transactions.requeue import requeue

MAX_ERROR_CHARACTERS = 1_000

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class _Ready:
    """A turn with its packet, and the session that will get it."""

    turn: LaneHead
    packet: Packet
    session: OpenSession
    voice: TurnVoice


class AgentActor:
    """One incarnation, from recovery to a truthful stop. It runs one turn at a time, in order."""

    def __init__(
        self,
        agent: AgentConfig,
        *,
        store: ActorRef[ToStore],
        context: ActorRef[ToContext],
        directory: AgentDirectory,
        transients: Transients,
        bells: AgentBells,
        lane: Lane,
        sessions: SessionPorts,
        stopping: trio.Event,
    ) -> None:
        self._agent = agent
        self._store = store
        self._directory = directory
        self._transients = transients
        self._bells = bells
        self._sessions = sessions
        self._stopping = stopping
        self._lane = lane
        self._turns = TurnPorts(
            name=agent.name,
            store=store,
            bells=bells,
            timeouts=sessions.timeouts,
            stopping=stopping,
            on_cancelling=lambda: self._report(AgentState.CANCELLING),
            local_date=lane.local_date,
        )
        self._recovery = LaneRecovery(
            agent, lane, sessions, bells, stopping=stopping, report=self._report
        )
        self._keeper: SessionKeeper
        self._start_is_due = True
        """A start may be tried without a turn that asks for it."""
        self._packets = TurnPackets(context, lane, bells.lane)
        self._unclaimed = InVain()

    async def run(self) -> None:
        """Until `stopping` is set; then the running turn is closed and the program ended."""
        await self._recovery.run()
        async with trio.open_nursery() as nursery:
            self._keeper = SessionKeeper(self._agent, self._sessions, nursery)
            while not self._stopping.is_set():
                ready = await self._unless_stopping(self._next)
                if ready is not None and not self._stopping.is_set():
                    await self._deliver(ready)
            await self._keeper.close()
            nursery.cancel_scope.cancel()
        self._report(AgentState.STOPPED, instance_id=None)

    # --- up to a turn that can be sent ----------------------------------------------------

    async def _next(self) -> _Ready:
        while True:
            self._bells.lane.silence()
            turn = await self._lane.head()
            if turn is None:
                await self._rest()
                continue
            await self._leave_other_era(turn.era)
            session = await self._session()
            if session is None:
                continue
            self._report(AgentState.WORKING)
            voice = self._voice(turn, session)
            packet = await self._packets.for_next(turn, session, voice)
            if packet is not None and session.usable:
                return _Ready(turn=turn, packet=packet, session=session, voice=voice)

    async def _rest(self) -> None:
        """Nothing to run: have a session at hand, then wait for a reason to look again."""
        if self._keeper.current is not None:
            await self._leave_other_era(await insist(self._store, Read(session_era, None)))
        session = self._keeper.current
        if session is None and self._start_is_due:
            session = await self._session()
        if session is None:
            await self._bells.lane.wait()
            return
        self._report(AgentState.IDLE)
        await first_of(self._bells.lane.wait, session.native.closed.wait)
        if not session.usable:
            await self._lose(session, None)

    async def _leave_other_era(self, era: SessionEra) -> None:
        """A session is of one room, and of the time between two resets of sessions."""
        session = self._keeper.current
        if session is not None and session.era != era:
            self._report(AgentState.STARTING, instance_id=None)
            await self._keeper.renew()
            self._start_is_due = True

    async def _session(self) -> OpenSession | None:
        """The open session, or a new one; None when the program does not start (then what was
        queued has failed with the reason). One that ended before its first prompt is a start
        that failed."""
        session = self._keeper.current
        if session is not None and session.usable:
            return session
        try:
            if session is not None:
                lost = await self._drop(session, None)
                self._report(AgentState.STARTING, last_error=lost, instance_id=None)
                if not session.prompts:
                    await self._keeper.count_failure(session.instance_id, _unused(lost))
            self._start_is_due = False
            self._report(AgentState.STARTING)
            session = await self._keeper.open()
        except AdapterStartError as error:
            self._fail(_error(str(error.code), error.message))
            await self._lane.fail_queue(error)
            return None
        facts = session.native.facts
        self._report(
            AgentState.IDLE,
            last_error=None,
            instance_id=session.instance_id,
            program=ProgramView(
                name=facts.program_name or self._agent.driver,
                version=facts.program_version or "unknown",
            ),
            continuity=session.continuity,
            capabilities=dict(facts.capabilities),
            mcp="ready" if facts.mcp_injected else "unavailable",
        )
        return session

    # --- the turn -------------------------------------------------------------------------

    async def _deliver(self, ready: _Ready) -> None:
        """Claim and, with the positive answer in hand, run the turn to its end."""
        claimed = await self._claim(ready)
        if claimed is None:
            return
        if not claimed.invoked:
            await insist(self._store, Write(requeue, ready.turn.turn_id))
            return
        session = ready.session
        self._keeper.prompted(session)
        run = TurnRun(ready.turn, claimed.attempt_id, session.native, ready.voice, self._turns)
        end = await run.run(ready.packet.text)
        if end.rebuild or not session.usable:
            await self._lose(session, end)

    async def _claim(self, ready: _Ready) -> Claimed | None:
        """The won claim; None when the turn is to be looked at afresh."""
        packet, session = ready.packet, ready.session
        command = ClaimCommand(
            turn_id=ready.turn.turn_id,
            expected_transport=ready.turn.transport,
            binding_id=session.binding_id,
            instance_id=session.instance_id,
            era=session.era,
            context_through_seq=packet.context_through_seq,
            summary_through_seq=packet.summary_through_seq,
            reset_through_seq=packet.reset_through_seq,
            packet_json=orjson.dumps(packet.record).decode(),
            packet_characters=len(packet.text),
        )
        try:
            claimed = await self._store.ask(Write(claim, command))
        except GroupXError as error:
            await self._not_claimed(ready, error)
            return None
        return claimed

    async def _not_claimed(self, ready: _Ready, error: GroupXError) -> None:
        """The turn stays queued, unless the store cannot say so: then recovery decides."""
        if error.code in (ErrorCode.STORE_UNAVAILABLE, ErrorCode.STORE_BUSY):
            alive = ready.session.instance_id
            await self._unless_stopping(lambda: self._lane.recover(alive=alive))
        elif error.code not in (ErrorCode.STORE_CONFLICT, ErrorCode.NOT_FOUND):
            raise error
        if self._unclaimed.again(ready.turn.turn_id) >= IN_A_ROW:
            await trio.sleep(PAUSE_SECONDS)

    async def _lose(self, session: OpenSession, end: TurnEnd | None) -> None:
        """The session is of no use any more. One that has worked is replaced without being asked;
        one that ended before it did anything is started again only for a turn or by hand."""
        error = await self._drop(session, end)
        self._start_is_due = session.prompts > 0
        if self._start_is_due:
            self._report(AgentState.STARTING, last_error=error, instance_id=None)
        else:
            self._fail(error)

    async def _drop(self, session: OpenSession, end: TurnEnd | None) -> ErrorView:
        code = str(ErrorCode.ADAPTER_EXITED)
        message = f"{self._agent.name} ended by itself."
        if end is not None:
            code = end.error_code or str(ENDINGS[end.cause].code or code)
            message = end.message or message
            if end.diagnostic:
                message += f' It said: "{end.diagnostic}".'
        await self._keeper.drop(error_code=code)
        return _error(code, message)

    # --- small things ---------------------------------------------------------------------

    def _voice(self, turn: LaneHead, session: OpenSession) -> TurnVoice:
        agent = self._agent
        speaker = Speaker(actor_id=agent.actor_id, name=agent.name, instance_id=session.instance_id)
        return TurnVoice(turn, speaker, self._transients, trio.current_time)

    def _report(self, state: AgentState, **changes: Any) -> None:
        self._directory.change(self._agent.actor_id, state=state, **changes)

    def _fail(self, error: ErrorView) -> None:
        self._report(AgentState.FAILED, last_error=error, instance_id=None)

    async def _unless_stopping(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """The result of `work`; None when it was given up because the agent is to stop."""
        return await unless(self._stopping.wait, work)


def _error(code: str, message: str) -> ErrorView:
    return ErrorView(code=code, message=excerpt(message, MAX_ERROR_CHARACTERS))


def _unused(lost: ErrorView) -> AdapterStartError:
    return AdapterStartError(
        ErrorCode(lost.code),
        f"{lost.message} It was ready, but ended before it was sent anything. Run its program by "
        "hand to see why.",
    )
