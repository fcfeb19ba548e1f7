"""One thread of one app-server: prompts one at a time, interrupts, closes."""

from functools import partial

import trio

from groupx.adapters.codex.asking import QUESTIONS, Question
from groupx.adapters.codex.opening import OpenedThread
from groupx.adapters.codex.run import TurnRun, Verdict
from groupx.adapters.codex.turn import NOTIFICATIONS
from groupx.adapters.codex.usage import Meter
from groupx.adapters.connection import ConnectionLost, Loss, NoAnswer
from groupx.adapters.contract import (
    EventSink,
    Exited,
    Failed,
    Interaction,
    PromptEnd,
    SessionFacts,
    SessionProfile,
)
from groupx.adapters.duplex import Duplex
from groupx.adapters.json_lines import Json, object_of, text_of
from groupx.adapters.jsonrpc import Answer, RpcConnection, RpcError
from groupx.adapters.starting import STDERR_CHARACTERS
from groupx.domain.errors import ErrorCode

INTERRUPT_REPEAT_SECONDS = 1.5
"""An interrupt that was refused, or that ended nothing, is sent again."""
MAX_INTERRUPTS = 5
CLEAN_SECONDS = 3.0
NOTHING_ACTIVE = "no active turn"
"""How an interrupt of an idle thread is refused; also one that came before `turn/started`."""


class CodexSession:
    """A `NativeSession`. `open_as` completes it once the handshake is done."""

    def __init__(self, child: Duplex, profile: SessionProfile) -> None:
        self._child = child
        self._profile = profile
        self._facts: SessionFacts | None = None
        self._thread_id = ""
        self._run: TurnRun | None = None
        self._active: str | None = None
        """The turn that the thread is running, ours or not; "" when it was not named."""
        self._idle = trio.Event()
        self._idle.set()
        self._usable = True
        self._meter = Meter()
        self._limits: Json = {}
        self.closed = trio.Event()
        """Set once the process is gone, for whatever reason."""
        self.unprompted: Interaction | None = None
        """What the program asked while no prompt ran."""
        self.connection = RpcConnection(
            child,
            requests={
                method: partial(self._on_question, question)
                for method, question in QUESTIONS.items()
            },
            notifications={
                **{name: partial(self._on_notification, name) for name in NOTIFICATIONS},
                "turn/completed": self._on_completed,
                "account/rateLimits/updated": self._on_limits,
            },
        )

    def open_as(self, opened: OpenedThread, facts: SessionFacts) -> None:
        """The handshake is done."""
        self._thread_id = opened.thread_id
        self._facts = facts
        if opened.busy and self._active is None:
            self._set_active("")

    @property
    def facts(self) -> SessionFacts:
        """What the handshake established."""
        assert self._facts is not None, "the session is not open yet"
        return self._facts

    @property
    def usable(self) -> bool:
        """Whether another prompt may be sent."""
        return self._usable and self.connection.loss is None

    # --- prompting --------------------------------------------------------------------------

    async def prompt(self, text: str, sink: EventSink, *, attempt_id: str = "") -> PromptEnd:
        """Send one prompt and run it to its one end."""
        assert self._run is None, "one prompt at a time"
        run = self._run = TurnRun(sink, self._meter)
        usable = False
        try:
            if not await self._becomes_idle():
                return _busy()
            await self._perform(run, text, attempt_id)
            left_running = run.interrupted_command
            verdict = self._judge(run)
            usable = verdict.usable and (not left_running or await self._clean())
            return verdict.end
        finally:
            self._usable = self._usable and usable
            self._run = None

    async def _becomes_idle(self) -> bool:
        """Stop a turn that is not ours: a prompt sent into it would steer it."""
        if self._idle.is_set():
            return True
        with trio.move_on_after(self._profile.timeouts.cancel / 1000):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._stop_stranger)
                await self._idle.wait()
                nursery.cancel_scope.cancel()
        return self._idle.is_set()

    async def _stop_stranger(self) -> None:
        for _ in range(MAX_INTERRUPTS):
            if not await self._interrupt(self._active or ""):
                self._set_idle()
            await trio.sleep(INTERRUPT_REPEAT_SECONDS)

    async def _perform(self, run: TurnRun, text: str, attempt_id: str) -> None:
        """Until the turn is over, the connection is lost, or the program, told no, is silent."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._start, run, text, attempt_id)
            nursery.start_soon(self._interrupt_when_asked, run)
            nursery.start_soon(self._end_with_connection, run)
            with run.patience:
                await run.over.wait()
            nursery.cancel_scope.cancel()

    async def _start(self, run: TurnRun, text: str, attempt_id: str) -> None:
        params: Json = {"threadId": self._thread_id, "input": [{"type": "text", "text": text}]}
        if attempt_id:
            params["clientUserMessageId"] = attempt_id  # kept with the turn, and no dedup key
        run.sent = True
        try:
            run.on_answer(object_of(await self.connection.request("turn/start", params)))
        except RpcError as error:
            run.on_refusal(error)
        except ConnectionLost:
            run.over.set()

    async def _end_with_connection(self, run: TurnRun) -> None:
        await self.connection.lost.wait()
        run.over.set()

    def _judge(self, run: TurnRun) -> Verdict:
        loss = self.connection.loss
        if loss is None or run.is_settled:
            return run.verdict(self._limits)
        return self._on_loss(run, loss)

    def _on_loss(self, run: TurnRun, loss: Loss) -> Verdict:
        if run.interaction is not None:
            return run.on_silence()
        if loss.kind == "broken":
            return Verdict(run.broken(loss.reason), usable=False)
        run.reader.close_tools("failed")
        exited = Exited(
            returncode=self._child.returncode,
            stderr_excerpt=self._child.stderr_excerpt(STDERR_CHARACTERS),
        )
        return Verdict(exited, usable=False)

    async def _clean(self) -> bool:
        """End what an interrupted turn left running; False when only the program's end does."""
        params: Json = {"threadId": self._thread_id}
        try:
            await self.connection.request(
                "thread/backgroundTerminals/clean", params, seconds=CLEAN_SECONDS
            )
        except (RpcError, ConnectionLost, NoAnswer):
            return False
        return True

    # --- cancelling -------------------------------------------------------------------------

    async def cancel(self) -> None:
        """Ask the program to stop the running prompt; a no-op when none runs."""
        await trio.lowlevel.checkpoint()
        if self._run is not None:
            self._run.cancel_asked.set()

    async def _interrupt_when_asked(self, run: TurnRun) -> None:
        """Not before the turn has begun: until then it is refused, and the turn goes on."""
        await run.cancel_asked.wait()
        await run.reader.begun.wait()
        for _ in range(MAX_INTERRUPTS):
            await self._interrupt(run.turn_id or "")
            await trio.sleep(INTERRUPT_REPEAT_SECONDS)

    async def _interrupt(self, turn_id: str) -> bool:
        """Whether there may be a turn to stop; what comes of it is told by its end."""
        params: Json = {"threadId": self._thread_id, "turnId": turn_id}
        try:
            await self.connection.request(
                "turn/interrupt", params, seconds=INTERRUPT_REPEAT_SECONDS
            )
        except RpcError as error:
            return NOTHING_ACTIVE not in error.message
        except ConnectionLost:
            return False
        except NoAnswer:
            return True
        return True

    # --- what the program says, on the reader's task ----------------------------------------

    def _on_notification(self, method: str, params: Json) -> None:
        if not self._is_ours(params):
            return
        turn_id = text_of(params.get("turnId")) or text_of(object_of(params.get("turn")).get("id"))
        if not turn_id:
            return
        if method == "turn/started":
            self._set_active(turn_id)
        if self._run is not None:
            self._run.on_notification(method, params, turn_id)

    def _on_completed(self, params: Json) -> None:
        if not self._is_ours(params):
            return
        turn = object_of(params.get("turn"))
        if self._active in ("", turn.get("id")):
            self._set_idle()
        if self._run is not None:
            self._run.on_completed(turn)

    def _is_ours(self, params: Json) -> bool:
        """Not of a helper thread that the program runs for ours; before it is open, all are."""
        return not self._thread_id or params.get("threadId") == self._thread_id

    def _set_idle(self) -> None:
        self._active = None
        self._idle.set()

    def _set_active(self, turn_id: str) -> None:
        self._active = turn_id
        if self._idle.is_set():
            self._idle = trio.Event()

    def _on_limits(self, params: Json) -> None:
        self._limits = object_of(params.get("rateLimits"))

    def _on_question(self, question: Question, params: Json, answer: Answer) -> None:
        answer(question.refusal)
        interaction, run = question.interaction(params), self._run
        if run is None:
            self.unprompted = self.unprompted or interaction
            return
        run.reader.begin(run.turn_id)
        if not run.cancel_asked.is_set():  # a question on the way to being cancelled is moot
            run.interaction = interaction
            run.patience.deadline = trio.current_time() + self._profile.timeouts.cancel / 1000
            run.cancel_asked.set()

    # --- the end ----------------------------------------------------------------------------

    async def close(self) -> None:
        """Stop ladder: EOF, on which the program ends, SIGTERM, SIGKILL of the tree. Of a program
        that we only connected to: the connection is closed."""
        self._usable = False
        await self._child.stop(self._profile.timeouts.close / 1000)

    def kill(self) -> None:
        """SIGKILL the whole tree now."""
        self._usable = False
        self._child.kill_tree()


def _busy() -> Failed:
    return Failed(
        code=ErrorCode.NATIVE_TURN_FAILED,
        message="The program was busy with a turn that GroupX did not begin, and did not stop it. "
        "The message was not sent to it; it will be started anew. Send the message again.",
        evidence=False,
        session_usable=False,
    )
