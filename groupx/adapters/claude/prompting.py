"""One prompt of a session: from the message that is sent to its one end."""

import os
import uuid

import attrs
import trio

from groupx.adapters.claude.failures import classify, explain
from groupx.adapters.claude.reading import TurnReader
from groupx.adapters.claude.usage import usage_of
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    EventSink,
    Failed,
    Interaction,
    PromptEnd,
)
from groupx.adapters.json_lines import Json, quote, text_of
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt

CUT_SHORT = {
    "error_max_turns": "max_turn_requests",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
}
"""Subtypes and stop reasons of an answer that is shown with its reason."""


@attrs.frozen
class Verdict:
    """How the prompt ended, and whether the session may get another one."""

    end: PromptEnd
    usable: bool


@attrs.frozen(kw_only=True)
class Expected:
    """What each turn's `system/init` must say."""

    session_id: str
    cwd: str
    mode: str

    def differs(self, init: Json) -> str | None:
        """What is not as it was asked for, in words; None when all is."""
        if init.get("session_id") != self.session_id:
            return f"The turn runs in another session, {quote(init.get('session_id'))}."
        cwd = text_of(init.get("original_cwd")) or text_of(init.get("cwd"))
        if cwd != self.cwd and os.path.realpath(cwd) != os.path.realpath(self.cwd):
            return f"The turn runs in another folder, {quote(cwd)}."
        if init.get("permissionMode") != self.mode:
            mode = quote(init.get("permissionMode"))
            return f"The turn runs in the permission mode {mode}, not in {self.mode!r}."
        return None


class PromptRun:
    """What is known of the running prompt, and what its result means."""

    def __init__(self, sink: EventSink, expected: Expected) -> None:
        self.message_id = str(uuid.uuid4())
        """Our name of the message, by which the program's answer is known."""
        self.expected = expected
        self.reader = TurnReader(sink, self.message_id)
        self.sent = False
        self.cancel_asked = False
        self.interaction: Interaction | None = None
        self.over = trio.Event()
        """Set once there is a result, or none can come any more."""
        self.settled = trio.Event()
        """Set once the program did nothing any more, if only until it began a turn of its own, or
        is gone."""
        self.patience = trio.CancelScope()
        """Waits for the end; gets a deadline once the program has been told no."""

    def frame(self, text: str) -> Json:
        """The message, to be sent once. Composed by a client: its text is no command."""
        return {
            "type": "user",
            "message": {"role": "user", "content": text},
            "parent_tool_use_id": None,
            "uuid": self.message_id,
            "client_composed": True,
        }

    def read(self, frame: Json) -> str | None:
        """A frame of the program; a reason why nothing it says can be trusted, if there is one."""
        self.reader.read(frame)
        if self.reader.result is not None:
            self.over.set()
        elif self.reader.started and is_init(frame):
            return self.expected.differs(frame)
        return None

    def on_idle(self) -> None:
        """The program does nothing any more: a turn that began is over, answered or not."""
        if self.reader.started or self.reader.dropped:
            self.over.set()
            self.settled.set()

    # --- verdicts -----------------------------------------------------------------------------

    def judge(self) -> Verdict:
        """The prompt is over, and its program is well."""
        result = self.reader.result
        verdict = self._no_result() if result is None else self._judge(result)
        if self.interaction is not None:
            return Verdict(self.interaction, verdict.usable)
        return verdict

    def _judge(self, result: Json) -> Verdict:
        subtype, reason = text_of(result.get("subtype")), text_of(result.get("stop_reason"))
        terminal = text_of(result.get("terminal_reason"))
        failed = subtype != "success" or result.get("is_error") is True
        if not subtype:
            return Verdict(self.broken("It ended the turn with a result of no kind."), False)
        untold = failed and not terminal and self.cancel_asked
        if terminal.startswith("aborted") or untold:
            self.reader.close_tools("cancelled")
            return Verdict(Cancelled(), True)
        if failed and subtype not in CUT_SHORT:
            self.reader.close_tools("failed")
            code = classify(result, self.reader.error)
            return Verdict(Failed(code=code, message=explain(result, code)), True)
        if reason == "refusal":
            self.reader.close_tools("failed")
            code = ErrorCode.NATIVE_REFUSED
            return Verdict(Failed(code=code, message=explain(result, code)), True)
        self.reader.close_tools("completed")
        shown = CUT_SHORT.get(subtype) or CUT_SHORT.get(reason)
        usage = usage_of(result, self.reader.gauge)
        return Verdict(Completed(stop_reason=shown, usage=usage), True)

    def _no_result(self) -> Verdict:
        if self.cancel_asked:
            self.reader.close_tools("cancelled")
            return Verdict(Cancelled(), True)
        self.reader.close_tools("failed")
        failed = Failed(
            code=ErrorCode.NATIVE_TURN_FAILED,
            message="The program ended the turn without a result; its answer may be incomplete. "
            "It will be started anew. Send the message again.",
            evidence=self.reader.started,
            session_usable=False,
        )
        return Verdict(failed, False)

    def on_silence(self) -> Verdict:
        """The program was told no, and gave no result any more."""
        assert self.interaction is not None
        self.reader.close_tools("cancelled")
        return Verdict(self.interaction, False)

    def broken(self, reason: str) -> Failed:
        """What the program said cannot be trusted."""
        return Failed(
            code=ErrorCode.PROTOCOL_INVALID_MESSAGE,
            message=f"{reason} The turn ends here; the program will be started anew.",
            evidence=self.reader.started,
            session_usable=False,
        )


BUSY = Failed(
    code=ErrorCode.NATIVE_TURN_FAILED,
    message="The program was busy with work that nobody in the room asked for, and did not stop. "
    "Nothing was sent to it; it will be started anew. Send the message again.",
    evidence=False,
    session_usable=False,
)
"""How a prompt ends that could not be sent."""


def is_init(frame: Json) -> bool:
    """Whether the frame is the `system/init` of a turn."""
    return frame.get("type") == "system" and frame.get("subtype") == "init"


def question_of(subtype: str, request: Json) -> Interaction:
    """What the program asked of a person, bounded."""
    what = text_of(request.get("message")) or text_of(request.get("description"))
    tool = text_of(request.get("tool_name")) or text_of(request.get("dialog_kind"))
    reason = ": ".join(filter(None, (tool, what))) or "a question"
    kinds = {"can_use_tool": "permission", "elicitation": "elicitation"}
    if request.get("requires_user_interaction") is True:
        return Interaction(kind="question", reason=excerpt(reason, 200))
    return Interaction(kind=kinds.get(subtype, "question"), reason=excerpt(reason, 200))
