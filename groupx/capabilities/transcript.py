"""What was seen in one case: bounded lines, from which its evidence is made."""

import time

import trio

from groupx.adapters.contract import (
    Completed,
    ContentDelta,
    Failed,
    Heartbeat,
    Interaction,
    NativeEvent,
    PromptEnd,
    ReasoningDelta,
    SessionFacts,
    Started,
    ToolUpdate,
)
from groupx.capabilities.redaction import Redactor
from groupx.domain.context_usage import Usage
from groupx.domain.text import excerpt, without_surrogates

MAX_LINES = 60
MAX_CHARACTERS = 160


class Transcript:
    """One case's lines. A line too many is counted, and not kept."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._began = time.monotonic()
        self._lines: list[str] = []
        self._left_out = 0
        self._verdict: tuple[str, ...] = ()
        self.facts: SessionFacts | None = None
        """Of the session that was opened last."""

    @property
    def milliseconds(self) -> int:
        """Since the case began."""
        return int((time.monotonic() - self._began) * 1000)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is kept."""
        more = [f"and {self._left_out} more"] if self._left_out else []
        return (*self._lines, *more, *self._verdict)

    def note(self, text: str) -> None:
        """Write down one line."""
        if len(self._lines) >= MAX_LINES:
            self._left_out += 1
            return
        clean = self._redactor.text(without_surrogates(" ".join(text.split())))
        self._lines.append(f"{self.milliseconds:>6} ms  {excerpt(clean, MAX_CHARACTERS)}")

    def judged(self, verdict: str) -> None:
        """What it came to: the last line, always kept, already without secrets."""
        self._verdict = (verdict,)

    def opened(self, facts: SessionFacts) -> None:
        """A session is open."""
        self.facts = facts
        self.note(
            f"session {facts.continuity}: {facts.program_name or 'unnamed'} "
            f"{facts.program_version or ''}, protocol {facts.protocol}, "
            f"mode {facts.capabilities.get('mode', '-')}, mcp {facts.mcp_injected}"
        )


class Turn:
    """What one prompt reported, and how it ended."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self.text = ""
        self.deltas = 0
        self.reasoning = 0
        self.tools: list[ToolUpdate] = []
        self.usage: Usage | None = None
        self.end: PromptEnd | None = None
        self.speaks = trio.Event()
        """Set with the first piece of the answer."""

    @property
    def words(self) -> str:
        """How it ended, in a few words."""
        return "it did not" if self.end is None else words_of(self.end)

    def sink(self, event: NativeEvent) -> None:
        """Take one event."""
        match event:
            case Started():
                self._note("started")
            case ContentDelta(text):
                self.text += text
                self.deltas += 1
                self._note(f"content {text!r}")
                self.speaks.set()
            case ReasoningDelta(text):
                self.reasoning += 1
                self._note(f"reasoning, {len(text)} characters")
            case ToolUpdate():
                self.tools.append(event)
                self._note(f"tool {event.phase} {event.name!r} ({event.kind}): {event.status}")
            case Usage():
                self.usage = event
                self._note(_usage(event))
            case Heartbeat():
                pass

    def ended(self, end: PromptEnd) -> None:
        """The prompt's one end."""
        self.end = end
        if isinstance(end, Completed) and end.usage is not None:
            self.usage = end.usage
            self._note(_usage(end.usage))
        self._note(f"end: {self.words}")

    def _note(self, text: str) -> None:
        self._transcript.note(text)


def words_of(end: PromptEnd) -> str:
    """A prompt's end in a few words."""
    match end:
        case Failed():
            return f"failed ({end.code}): {end.message}"
        case Interaction():
            return f"asked for {end.kind}: {end.reason}"
        case Completed() if end.stop_reason:
            return f"completed ({end.stop_reason})"
        case _:
            return type(end).__name__.lower()


def _usage(usage: Usage) -> str:
    return (
        f"usage in {usage.input_tokens} out {usage.output_tokens} total {usage.total_tokens}, "
        f"context {usage.context_used} of {usage.context_size}"
    )
