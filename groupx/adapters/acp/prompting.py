"""One prompt of a session: from the first update to its one end."""

import re

import attrs
import trio

from groupx.adapters.acp.failures import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    classify,
    explain,
    forgets_session,
)
from groupx.adapters.acp.quirks import Quirks
from groupx.adapters.acp.updates import TurnReader
from groupx.adapters.acp.usage import Tokens, tokens_of
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    EventSink,
    Failed,
    Interaction,
    PromptEnd,
    Usage,
)
from groupx.adapters.failure_words import ADVICE, classify_words
from groupx.adapters.json_lines import Json, is_object, text_of
from groupx.adapters.jsonrpc import RpcError
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt

CUT_SHORT = frozenset({"max_tokens", "max_turn_requests"})
"""Stop reasons of an answer that is shown with its reason."""


@attrs.frozen
class Verdict:
    """How the prompt ended, and whether the session may get another one."""

    end: PromptEnd
    usable: bool


class PromptRun:
    """What is known of the running prompt, and what its answer means."""

    def __init__(self, sink: EventSink, quirks: Quirks, earlier: Tokens) -> None:
        self._quirks = quirks
        self._earlier = earlier
        self.reader = TurnReader(sink)
        self.cancel_asked = trio.Event()
        self.cancels_sent = 0
        self.interaction: Interaction | None = None
        self.patience = trio.CancelScope()
        """Waits for the prompt's answer; gets a deadline once the program has been told no."""
        self.tokens: Tokens | None = None
        """What the program counted, in its own way."""

    def on_result(self, result: object) -> Verdict:
        """The prompt was answered."""
        self.reader.begin()
        if not is_object(result) or not text_of(result.get("stopReason")):
            return self._distrust("It answered the prompt without a stop reason.")
        self.tokens = tokens_of(result)
        verdict = self._judge(text_of(result.get("stopReason")))
        if self.interaction is not None:
            return Verdict(self.interaction, verdict.usable)
        return verdict

    def _judge(self, reason: str) -> Verdict:
        usable = not (self._quirks.cancel_may_brick and self.cancels_sent)
        if reason == "cancelled":
            self.reader.close_tools("cancelled")
            clean = not self._quirks.cancel_may_brick or self.cancels_sent <= 1
            return Verdict(Cancelled(), clean)
        if reason == "refusal":
            return self._refused(usable)
        if reason != "end_turn" and reason not in CUT_SHORT:
            self.reader.close_tools("failed")
            return self._failed(
                f"The program ended the turn with '{excerpt(reason, 100)}', which is no stop "
                "reason that ACP knows; its answer may be incomplete.",
                usable,
            )
        if self._was_not_run():
            return self._failed(
                "The program queued the message instead of running it; it will be started anew. "
                "Send the message again.",
                usable=False,
            )
        if self._is_failure():
            self.reader.close_tools("failed")
            return self._reported(self.reader.beginning, usable)
        self.reader.close_tools("completed")
        shown = reason if reason in CUT_SHORT else None
        return Verdict(Completed(stop_reason=shown, usage=self._usage()), usable)

    def _refused(self, usable: bool) -> Verdict:
        if self._quirks.refusal_is_unknown_session and not self.reader.beginning:
            return self._failed(
                "The program no longer knows this session; it will be started anew. "
                "Send the message again.",
                usable=False,
            )
        self.reader.close_tools("failed")
        message = "The program refused to go on with this message. Rephrase it, then send it again."
        return Verdict(Failed(code=ErrorCode.NATIVE_REFUSED, message=message), usable)

    def _failed(self, message: str, usable: bool) -> Verdict:
        failed = Failed(code=ErrorCode.NATIVE_TURN_FAILED, message=message, session_usable=usable)
        return Verdict(failed, usable)

    def _was_not_run(self) -> bool:
        pattern = self._quirks.not_an_answer
        return pattern is not None and re.fullmatch(pattern, self.reader.beginning) is not None

    def _is_failure(self) -> bool:
        pattern = self._quirks.failure_as_answer
        counted = self.tokens is not None
        return not counted and bool(pattern and re.match(pattern, self.reader.beginning))

    def _reported(self, words: str, usable: bool) -> Verdict:
        code = classify_words(words)
        message = f"The program reported: {words.rstrip(' .')}. {ADVICE[code]}"
        return Verdict(Failed(code=code, message=message, session_usable=usable), usable)

    def _distrust(self, reason: str) -> Verdict:
        return Verdict(self.broken(reason), False)

    def broken(self, reason: str) -> Failed:
        """What the program said cannot be trusted."""
        return Failed(
            code=ErrorCode.PROTOCOL_INVALID_MESSAGE,
            message=f"{reason} The turn ends here; the program will be started anew.",
            evidence=self.reader.started,
            session_usable=False,
        )

    def on_error(self, error: RpcError) -> Verdict:
        """The prompt was answered with an error."""
        self.reader.begin()
        confirms_cancel = error.code == REQUEST_CANCELLED
        if self.cancels_sent and (confirms_cancel or self._quirks.cancel_may_brick):
            self.reader.close_tools("cancelled")
            return Verdict(self.interaction or Cancelled(), confirms_cancel)
        self.reader.close_tools("failed")
        bricked = self._quirks.cancel_may_brick and error.code == INTERNAL_ERROR
        usable = not (self.cancels_sent or bricked or forgets_session(error))
        failed = Failed(code=classify(error), message=explain(error), session_usable=usable)
        return Verdict(self.interaction or failed, usable)

    def on_silence(self) -> Verdict:
        """The program was told no, and gave no answer any more."""
        assert self.interaction is not None
        self.reader.close_tools("cancelled")
        return Verdict(self.interaction, usable=False)

    def _usage(self) -> Usage | None:
        tokens, context = self.tokens, self.reader.context
        if tokens is None:
            return context
        if self._quirks.usage_is_cumulative:
            tokens = tokens.since(self._earlier)
        return attrs.evolve(
            context or Usage(),
            input_tokens=tokens.input_tokens,
            output_tokens=tokens.output_tokens,
            total_tokens=tokens.total_tokens,
        )


def permission_reason(params: Json) -> str:
    """What a permission request was about, in at most 200 characters."""
    call = params.get("toolCall")
    title = text_of(call.get("title")) if is_object(call) else ""
    return excerpt(title or "a tool call", 200)


def elicitation_reason(params: Json) -> str:
    """What an elicitation asked, in at most 200 characters."""
    return excerpt(text_of(params.get("message")) or "a question", 200)
