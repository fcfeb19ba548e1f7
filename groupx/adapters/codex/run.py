"""One prompt of a thread: from `turn/start` to its one end."""

import attrs
import trio

from groupx.adapters.codex.failures import Failure, failure_of, refusal_of
from groupx.adapters.codex.turn import TurnReader
from groupx.adapters.codex.usage import Meter
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    EventSink,
    Failed,
    Interaction,
    PromptEnd,
)
from groupx.adapters.json_lines import Json, object_of, quote, text_of
from groupx.adapters.jsonrpc import RpcError
from groupx.domain.errors import ErrorCode

MAX_UNCLAIMED = 8


@attrs.frozen
class Verdict:
    """How the prompt ended, and whether the session may get another one."""

    end: PromptEnd
    usable: bool


class TurnRun:
    """What is known of the running prompt, and what its end means."""

    def __init__(self, sink: EventSink, meter: Meter) -> None:
        meter.begin_turn()
        self._meter = meter
        self._refused: RpcError | None = None
        self._broken: str | None = None
        self._ended_turns: dict[str, Json] = {}
        """Turns that ended while ours was not named yet."""
        self._turn: Json | None = None
        self.reader = TurnReader(sink, meter)
        self.turn_id: str | None = None
        self.sent = False
        self.cancel_asked = trio.Event()
        self.interaction: Interaction | None = None
        self.patience = trio.CancelScope()
        """Waits for the end; gets a deadline once the program has been told no."""
        self.over = trio.Event()

    # --- what happens -----------------------------------------------------------------------

    def on_answer(self, answer: Json) -> None:
        """`turn/start` was answered."""
        turn_id = text_of(object_of(answer.get("turn")).get("id"))
        if not turn_id:
            self._break("It answered turn/start without naming the turn.")
        elif self.turn_id is None:
            self._adopt(turn_id)
        elif self.turn_id != turn_id:
            self._break(f"It began turn {quote(self.turn_id)}, then called it {quote(turn_id)}.")

    def on_refusal(self, error: RpcError) -> None:
        """`turn/start` was answered with an error."""
        self._refused = error
        self.over.set()

    def on_notification(self, method: str, params: Json, turn_id: str) -> None:
        """Something was said of a turn of our thread; only `turn/started` makes it ours."""
        if self.turn_id is None and self.sent and method == "turn/started":
            self._adopt(turn_id)
        if turn_id == self.turn_id and not self.over.is_set():
            self.reader.read(method, params, turn_id)

    def on_completed(self, turn: Json) -> None:
        """A turn of our thread ended; the first end of ours counts."""
        turn_id = text_of(turn.get("id"))
        if self.turn_id is None and self.sent and len(self._ended_turns) < MAX_UNCLAIMED:
            self._ended_turns[turn_id] = turn
        elif turn_id == self.turn_id and not self.over.is_set():
            self._end(turn)

    def _adopt(self, turn_id: str) -> None:
        self.turn_id = turn_id
        ended = self._ended_turns.pop(turn_id, None)
        if ended is not None:
            self._end(ended)

    def _end(self, turn: Json) -> None:
        self.reader.begin(self.turn_id)
        self.reader.finish(turn)
        self._turn = turn
        self.over.set()

    def _break(self, reason: str) -> None:
        self._broken = reason
        self.over.set()

    # --- what it means ----------------------------------------------------------------------

    @property
    def is_settled(self) -> bool:
        """Whether the program itself ended it, or said of it what cannot be trusted."""
        return not (self._turn is None and self._refused is None and self._broken is None)

    @property
    def interrupted_command(self) -> bool:
        """Whether the turn stopped with a command that goes on running."""
        return self.reader.command_is_open and not self._is_status("completed")

    def verdict(self, limits: Json) -> Verdict:
        """How it ended, closing what the program left open."""
        if self._broken is not None:
            return Verdict(self.broken(self._broken), usable=False)
        if self._refused is not None:
            self.reader.begin()
            return self._failed(refusal_of(self._refused))
        if self._turn is None:
            return self.on_silence()
        if self.interaction is not None:
            self.reader.close_tools("cancelled")
            return Verdict(self.interaction, usable=True)
        if self._is_status("completed"):
            self.reader.close_tools("completed")
            return Verdict(Completed(usage=self._meter.turn), usable=True)
        if self._is_status("interrupted") and self.cancel_asked.is_set():
            self.reader.close_tools("cancelled")
            return Verdict(Cancelled(), usable=True)
        return self._failed(self._failure(limits))

    def _failure(self, limits: Json) -> Failure:
        assert self._turn is not None
        if self._is_status("failed"):
            return failure_of(object_of(self._turn.get("error")), limits)
        if self._is_status("interrupted"):
            message = "The turn was interrupted, but not by GroupX. Send the message again."
            return Failure(code=ErrorCode.NATIVE_TURN_FAILED, message=message)
        status = quote(self._turn.get("status"))
        return Failure(
            code=ErrorCode.NATIVE_TURN_FAILED,
            message=f"The program ended the turn as {status}, which GroupX does not know; its "
            "answer may be incomplete. Send the message again.",
        )

    def _failed(self, failure: Failure) -> Verdict:
        self.reader.close_tools("failed")
        usable = failure.thread_usable
        failed = Failed(code=failure.code, message=failure.message, session_usable=usable)
        return Verdict(self.interaction or failed, usable)

    def broken(self, reason: str) -> Failed:
        """What the program said cannot be trusted."""
        self.reader.close_tools("failed")
        return Failed(
            code=ErrorCode.PROTOCOL_INVALID_MESSAGE,
            message=f"{reason} The turn ends here; the program will be started anew.",
            evidence=self.reader.begun.is_set(),
            session_usable=False,
        )

    def on_silence(self) -> Verdict:
        """The program was told no, and did not end the turn."""
        assert self.interaction is not None
        self.reader.close_tools("cancelled")
        return Verdict(self.interaction, usable=False)

    def _is_status(self, status: str) -> bool:
        return self._turn is not None and self._turn.get("status") == status
