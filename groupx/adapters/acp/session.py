"""One ACP session: prompts one at a time, cancels, closes."""

from contextlib import suppress

import attrs
import trio

from groupx.adapters.acp.prompting import (
    PromptRun,
    Verdict,
    elicitation_reason,
    permission_reason,
)
from groupx.adapters.acp.quirks import Quirks
from groupx.adapters.acp.room_tools import RoomTools
from groupx.adapters.acp.usage import Tokens
from groupx.adapters.connection import ConnectionLost, Loss
from groupx.adapters.contract import (
    EventSink,
    Exited,
    Interaction,
    PromptEnd,
    SessionFacts,
    SessionProfile,
)
from groupx.adapters.json_lines import Json, is_object
from groupx.adapters.jsonrpc import Answer, RpcConnection, RpcError
from groupx.adapters.starting import STDERR_CHARACTERS
from groupx.process.child import ChildProcess

CANCEL_REPEAT_SECONDS = 1.5
"""A cancel without an answer is sent again; a program may lose one."""
MAX_CANCELS = 5
NATIVE_CLOSE_SECONDS = 1.0


class AcpSession:
    """A `NativeSession`. `open_as` completes it once the handshake is done."""

    def __init__(self, child: ChildProcess, profile: SessionProfile, quirks: Quirks) -> None:
        self._child = child
        self._profile = profile
        self._quirks = quirks
        self._facts: SessionFacts | None = None
        self._session_id = ""
        self._can_close = False
        self._run: PromptRun | None = None
        self._usable = True
        self._tokens = Tokens()
        self._usage_seen = trio.Event()
        self.closed = trio.Event()
        """Set once the process is gone, for whatever reason."""
        self.unprompted: Interaction | None = None
        """What the program asked while no prompt ran."""
        self.room_tools = RoomTools(quirks)
        self.connection = RpcConnection(
            child,
            requests={
                "session/request_permission": self._on_permission,
                "elicitation/create": self._on_elicitation,
            },
            notifications={
                "session/update": self._on_update,
                **self.room_tools.notifications,
            },
        )

    def open_as(self, session_id: str, facts: SessionFacts, *, can_close: bool) -> None:
        """The handshake is done."""
        self._session_id = session_id
        self._facts = facts
        self._can_close = can_close

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
        run = self._run = PromptRun(sink, self._quirks, self._tokens)
        usable = False
        try:
            answer = await self._ask(run, text)
            if answer is not None and self._quirks.trailing_usage_seconds:
                with trio.move_on_after(self._quirks.trailing_usage_seconds):
                    await self._usage_seen.wait()
            verdict = self._judge(run, answer)
            usable = verdict.usable
            return verdict.end
        finally:
            self._usable = self._usable and usable
            self._run = None

    async def _ask(self, run: PromptRun, text: str) -> "_Answer | None":
        """The program's answer; None when it gave none after it had been told no."""
        answer: _Answer | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._cancel_until_answered, run)
            with run.patience:
                answer = await self._send_prompt(text)
            nursery.cancel_scope.cancel()
        return answer

    async def _send_prompt(self, text: str) -> "_Answer":
        prompt = [{"type": "text", "text": text}]
        self._usage_seen = trio.Event()
        try:
            return _Result(
                await self.connection.request(
                    "session/prompt", {"sessionId": self._session_id, "prompt": prompt}
                )
            )
        except RpcError as error:
            return error
        except ConnectionLost as lost:
            return lost.loss

    def _judge(self, run: PromptRun, answer: "_Answer | None") -> Verdict:
        match answer:
            case _Result(value):
                verdict = run.on_result(value)
                if run.tokens is not None and run.tokens.total_tokens:
                    self._tokens = run.tokens
                return verdict
            case RpcError():
                return run.on_error(answer)
            case Loss():
                return self._on_loss(run, answer)
            case None:
                return run.on_silence()

    def _on_loss(self, run: PromptRun, loss: Loss) -> Verdict:
        if run.interaction is not None:
            return run.on_silence()
        run.reader.close_tools("failed")
        if loss.kind == "broken":
            return Verdict(run.broken(loss.reason), usable=False)
        exited = Exited(
            returncode=self._child.returncode,
            stderr_excerpt=self._child.stderr_excerpt(STDERR_CHARACTERS),
        )
        return Verdict(exited, usable=False)

    # --- cancelling -------------------------------------------------------------------------

    async def cancel(self) -> None:
        """Ask the program to stop the running prompt; a no-op when none runs."""
        await trio.lowlevel.checkpoint()
        if self._run is not None:
            self._run.cancel_asked.set()

    async def _cancel_until_answered(self, run: PromptRun) -> None:
        """First runs when the prompt is on its way, so that no cancel can come before it."""
        await run.cancel_asked.wait()
        while run.cancels_sent < MAX_CANCELS:
            self._send_cancel(run)
            await trio.sleep(CANCEL_REPEAT_SECONDS)

    def _send_cancel(self, run: PromptRun) -> None:
        if self.connection.waiting:
            run.cancels_sent += 1
            self.connection.notify("session/cancel", {"sessionId": self._session_id})

    # --- what the program says, on the reader's task ----------------------------------------

    def _on_update(self, params: Json) -> None:
        run, update = self._run, params.get("update")
        if run is None or not is_object(update) or params.get("sessionId") != self._session_id:
            return
        is_usage = update.get("sessionUpdate") == "usage_update"
        if not self.connection.waiting and not is_usage:
            return  # the turn is over
        was_started = run.reader.started
        run.reader.read(update)
        if is_usage:
            self._usage_seen.set()
        if run.cancels_sent == 1 and run.reader.started and not was_started:
            self._send_cancel(run)  # the first may have come before there was a turn to cancel

    def _on_permission(self, params: Json, answer: Answer) -> None:
        answer({"outcome": {"outcome": "cancelled"}})
        self._refuse(Interaction(kind="permission", reason=permission_reason(params)))

    def _on_elicitation(self, params: Json, answer: Answer) -> None:
        answer({"action": "cancel"})
        self._refuse(Interaction(kind="elicitation", reason=elicitation_reason(params)))

    def _refuse(self, interaction: Interaction) -> None:
        run = self._run
        if run is None:
            self.unprompted = self.unprompted or interaction
            return
        run.reader.begin()
        if not run.cancel_asked.is_set():  # a question on the way to being cancelled is moot
            run.interaction = interaction
            run.patience.deadline = trio.current_time() + self._profile.timeouts.cancel / 1000
            run.cancel_asked.set()

    # --- the end ----------------------------------------------------------------------------

    async def close(self) -> None:
        """Stop ladder: native close, stdin EOF, SIGTERM, SIGKILL of the tree."""
        self._usable = False
        if self._can_close and self._run is None:
            with suppress(RpcError, ConnectionLost, trio.TooSlowError):
                await self.connection.request(
                    "session/close",
                    {"sessionId": self._session_id},
                    seconds=NATIVE_CLOSE_SECONDS,
                )
        await self._child.stop(self._profile.timeouts.close / 1000)

    def kill(self) -> None:
        """SIGKILL the whole tree now."""
        self._usable = False
        self._child.kill_tree()


@attrs.frozen
class _Result:
    """What the prompt was answered with."""

    value: object


_Answer = _Result | RpcError | Loss
