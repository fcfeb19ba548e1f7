"""What a case is: what the program does, what we do meanwhile, and how it must end."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from groupx.domain.errors import ErrorCode

from .script import Steps

Moment = Literal["idle", "sent", "text", "reasoning", "tool", "more"]
"""Before the prompt; once it is on its way; at the first event of that kind; at the first event
after our cancel."""


@attrs.frozen(kw_only=True)
class Expect:
    """How a turn ends, in the ledger's terms (docs/reading-a-failure.md), and what it reported.

    None = whatever it is.
    """

    status: Literal["completed", "failed", "cancelled", "interrupted"] = "completed"
    code: ErrorCode | None = None
    delivered: bool = True
    """Certainty: delivered; else unknown."""
    usable: bool | None = True
    """Whether the session takes another prompt, which is then sent and must be answered."""
    text: str | None = None
    segments: int | None = None
    reasoning: str | None = None
    tools: Mapping[str, str] | None = None
    """Tool call → the status in which it was closed."""
    context: int | None = None
    """Tokens in the context window."""
    stop_reason: str | None = None
    kind: str | None = None
    """Of an interaction."""
    says: str = ""
    """What the message for the user quotes."""
    returncode: int | None = None
    cancels: tuple[int, int] | None = None
    """How often the program was asked to stop: at least, at most."""


@attrs.frozen(kw_only=True)
class Turn:
    """One prompt."""

    does: Steps
    prompt: str = "go"
    cancel_at: tuple[Moment, ...] = ()
    kill_at: Moment | None = None
    abandon_at: Moment | None = None
    """When the caller of `prompt` is cancelled itself."""
    after_exit: bool = False
    """Whether the program must have ended before."""
    expect: Expect = Expect()


@attrs.frozen(kw_only=True)
class Refused:
    """The session is not opened."""

    code: ErrorCode
    transient: bool | None = None
    says: str = ""


@attrs.frozen(kw_only=True)
class Case:
    """One thing that a program may do. `does` gives what its handshake does otherwise."""

    name: str
    does: Mapping[str, Steps] = attrs.field(factory=dict[str, Steps])
    turns: tuple[Turn, ...] = ()
    refused: tuple[Refused, ...] = ()
    """Any of these; () = the session is opened. With a `continuity`, it may be opened, too."""
    resume: bool = False
    """Whether an earlier session is asked for."""
    continuity: Literal["new", "resumed"] | None = None
    profile: Mapping[str, Any] = attrs.field(factory=dict[str, Any])
    """Fields of the session's profile."""
    with_mode: bool = False
    """Whether a most open mode is named in the profile, where it has a name."""
    closes: bool = False
    """Whether the session is closed in the end; else its tree is killed."""
    spawns: bool = False
    """Whether the program leaves a process in a session of its own."""
