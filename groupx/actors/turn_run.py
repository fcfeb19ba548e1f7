"""One turn from the moment its prompt may leave to its terminal event."""

from collections.abc import Callable

import attrs
import trio

from groupx.actors.bells import AgentBells
from groupx.actors.mailbox import ActorRef, Bell
from groupx.actors.messages import Read, ToStore, Write
from groupx.actors.silence import Silence
from groupx.actors.steadfast import insist
from groupx.actors.turn_end import Halt, TurnEnd, end_of_turn
from groupx.actors.turn_voice import TurnVoice
from groupx.adapters.contract import (
    Completed,
    Exited,
    NativeEvent,
    NativeSession,
    PromptEnd,
    Started,
)
from groupx.domain.ledger import LaneHead, Progress, StartedCommand, TerminalCommand
from groupx.domain.limits import Timeouts
from groupx.domain.outcomes import Cause
from groupx.domain.turns import TurnStatus
from groupx.process.killing import passed
from groupx.store.queries.turn_status import turn_status
from groupx.store.transactions.progress import progress
from groupx.store.transactions.started import started
from groupx.store.transactions.terminal import terminal

PROGRESS_SECONDS = 2.0
PROGRESS_BYTES = 8 * 1024
LAST_WRITE_SECONDS = 5.0
"""How long the truth about a turn is still written when everything around it is cancelled."""


@attrs.frozen(kw_only=True)
class TurnPorts:
    """What a running turn works with besides its session; the same for all turns of an agent."""

    name: str
    store: ActorRef[ToStore]
    bells: AgentBells
    timeouts: Timeouts
    stopping: trio.Event
    """Set when the agent is to stop: the turn is ended natively, then closed truthfully."""
    on_cancelling: Callable[[], None]
    local_date: Callable[[], str]


class TurnRun:
    """Sends one prompt once, listens until its one end, writes that end.

    Made only by the holder of the positive answer to its own invoke.
    """

    def __init__(
        self,
        turn: LaneHead,
        attempt_id: str,
        session: NativeSession,
        voice: TurnVoice,
        ports: TurnPorts,
    ) -> None:
        self._turn = turn
        self._attempt_id = attempt_id
        self._session = session
        self._voice = voice
        self._ports = ports
        self._silence = Silence(ports.timeouts, lambda: voice.heard.tool_is_open)
        self._started: Started | None = None
        self._has_started = trio.Event()
        self._more_text = Bell()
        self._halt: Halt | None = None
        self._halted = trio.Event()
        self._forced = trio.Event()
        self._killed = False
        self._patience = trio.CancelScope()
        self._end: TurnEnd | None = None
        self._closed = False

    async def run(self, text: str) -> TurnEnd:
        """Prompt and end the turn; how it ended. Cancelling it kills the program's tree first."""
        self._voice.begin()
        try:
            end = self._end = await self._converse(text)
            await self._close(end)
            self._closed = True
        finally:
            if not self._closed and trio.current_effective_deadline() == float("-inf"):
                await self._close_at_last()
            self._voice.end()
        return end

    # --- the conversation -----------------------------------------------------------------

    async def _converse(self, text: str) -> TurnEnd:
        async with trio.open_nursery() as nursery:
            for duty in (
                self._write_started,
                self._write_progress,
                self._obey_cancel,
                self._obey_force,
                self._obey_stop,
                self._watch_silence,
                self._climb_ladder,
            ):
                nursery.start_soon(duty)
            self._voice.phase("sent")
            prompt_end = await self._prompt(text)
            nursery.cancel_scope.cancel()
        if isinstance(prompt_end, Completed) and prompt_end.usage is not None:
            self._voice.heard.usage = prompt_end.usage
        return end_of_turn(
            prompt_end,
            halt=self._halt,
            killed=self._killed,
            started=self._started is not None,
            name=self._ports.name,
        )

    async def _prompt(self, text: str) -> PromptEnd:
        await trio.lowlevel.checkpoint_if_cancelled()
        passed("invoke.committed")
        with self._patience:
            return await self._session.prompt(text, self._hear, attempt_id=self._attempt_id)
        return Exited(returncode=None)

    def _hear(self, event: NativeEvent) -> None:
        """The session's sink: synchronous, bounded."""
        if isinstance(event, Started):
            if self._started is None:
                self._started = event
                self._has_started.set()
                self._voice.phase("working")
        else:
            before = self._voice.heard.response_bytes
            self._voice.take(event)
            if self._voice.heard.response_bytes > before:
                self._more_text.ring()
                passed("stream.mid")
        self._silence.heard()

    # --- what is written while it runs ----------------------------------------------------

    async def _write_started(self) -> None:
        await self._has_started.wait()
        command = StartedCommand(
            attempt_id=self._attempt_id,
            native_turn_id=self._started and self._started.native_turn_id,
        )
        await insist(self._ports.store, Write(started, command))

    async def _write_progress(self) -> None:
        """Partial text for the case of a crash: every 2 s or 8 KiB, and ever rarer as it grows."""
        await self._has_started.wait()
        while True:
            await self._more_text.wait()
            heard = self._voice.heard
            enough = heard.response_bytes + max(PROGRESS_BYTES, heard.response_bytes // 8)
            with trio.move_on_after(PROGRESS_SECONDS):
                while heard.response_bytes < enough:
                    await self._more_text.wait()
            command = Progress(turn_id=self._turn.turn_id, text=heard.response)
            await insist(self._ports.store, Write(progress, command))

    # --- reasons to stop ------------------------------------------------------------------

    async def _obey_cancel(self) -> None:
        await self._obey(self._ports.bells.cancel, Halt.CANCEL)

    async def _obey_force(self) -> None:
        await self._obey(self._ports.bells.force, Halt.FORCE)

    async def _obey(self, bell: Bell, halt: Halt) -> None:
        """A bell may have been meant for an earlier turn: only the ledger says that it was not."""
        query = self._turn.turn_id
        while True:
            await bell.wait()
            status = await insist(self._ports.store, Read(turn_status, query))
            if status is TurnStatus.CANCELLING:
                self._stop_for(halt)

    async def _obey_stop(self) -> None:
        await self._ports.stopping.wait()
        self._stop_for(Halt.STOP)

    async def _watch_silence(self) -> None:
        await self._silence.too_long()
        self._stop_for(Halt.IDLE if self._silence.heard_anything else Halt.FIRST_EVENT)

    def _stop_for(self, halt: Halt) -> None:
        """The first reason stands; only force overrides it."""
        if halt is Halt.FORCE:
            self._halt = halt
            self._forced.set()
        elif self._halt is None:
            self._halt = halt
        if not self._halted.is_set():
            self._halted.set()
            self._ports.on_cancelling()
            self._voice.phase("cancelling")

    async def _climb_ladder(self) -> None:
        """Ask, ask again, kill; each step bounded."""
        await self._halted.wait()
        for _ in range(2):
            with trio.move_on_after(self._ports.timeouts.cancel / 2000):
                if not self._forced.is_set():
                    await self._session.cancel()
                await self._forced.wait()
        self._killed = True
        self._session.kill()
        await trio.sleep(self._ports.timeouts.close / 1000)
        self._patience.cancel()

    # --- the end --------------------------------------------------------------------------

    async def _close(self, end: TurnEnd) -> None:
        heard = self._voice.heard
        completed = end.cause is Cause.COMPLETED
        command = TerminalCommand(
            turn_id=self._turn.turn_id,
            attempt_id=self._attempt_id,
            cause=end.cause,
            error_code=end.error_code,
            message=end.message,
            reason=end.reason,
            evidence=end.evidence,
            native_turn_id=self._started and self._started.native_turn_id,
            response=heard.response if completed else None,
            final_offset=heard.final_offset if completed else None,
            truncated=heard.truncated,
            stop_reason=end.stop_reason,
            reasoning=heard.reasoning,
            reasoning_truncated=heard.reasoning_truncated,
            tools=heard.tools(),
            partial_text=None if completed else heard.response,
            interaction=end.interaction,
            usage=heard.usage,
            local_date=self._ports.local_date(),
        )
        passed("terminal.before")
        await insist(self._ports.store, Write(terminal, command))

    async def _close_at_last(self) -> None:
        """Everything is being cancelled: nothing may go on unseen, and the truth is written.

        What cannot be written in time is for the next start's recovery.
        """
        self._session.kill()
        end = self._end or end_of_turn(
            Exited(returncode=None),
            halt=Halt.STOP,
            killed=True,
            started=self._started is not None,
            name=self._ports.name,
        )
        with trio.move_on_after(LAST_WRITE_SECONDS, shield=True):
            await self._close(end)
