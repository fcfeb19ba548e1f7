"""How a prompt's end, and what GroupX had asked for by then, become the end of the turn."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import attrs

from groupx.adapters.contract import (
    Cancelled,
    Completed,
    Exited,
    Failed,
    Interaction,
    PromptEnd,
)
from groupx.domain.aftermath import aftermath
from groupx.domain.errors import ErrorCode
from groupx.domain.outcomes import ENDINGS, Cause
from groupx.domain.text import excerpt, without_surrogates

MAX_MESSAGE_CHARACTERS = 1_000
MAX_STDERR_CHARACTERS = 500


class Halt(StrEnum):
    """Why GroupX asked the program to stop this turn."""

    CANCEL = "cancel"
    FORCE = "force"
    STOP = "stop"
    FIRST_EVENT = "first_event"
    IDLE = "idle"


_CONFIRMED: Mapping[Halt | None, Cause] = MappingProxyType(
    {
        None: Cause.CANCELLED,
        Halt.CANCEL: Cause.CANCELLED,
        Halt.FORCE: Cause.CANCELLED,
        Halt.STOP: Cause.STOP_CONFIRMED,
        Halt.FIRST_EVENT: Cause.NO_FIRST_EVENT,
        Halt.IDLE: Cause.IDLE,
    }
)
_KILLED: Mapping[Halt | None, Cause] = MappingProxyType(
    {
        None: Cause.EXITED,
        Halt.CANCEL: Cause.CANCEL_IGNORED,
        Halt.FORCE: Cause.CANCEL_IGNORED,
        Halt.STOP: Cause.STOP_UNCONFIRMED,
        Halt.FIRST_EVENT: Cause.NO_FIRST_EVENT,
        Halt.IDLE: Cause.IDLE,
    }
)
_TIMED_OUT = frozenset({Halt.FIRST_EVENT, Halt.IDLE})

_SAID: Mapping[Cause, str] = MappingProxyType(
    {
        Cause.EXITED: "{name} ended while it worked on this turn{how}.",
        Cause.NO_FIRST_EVENT: (
            "{name} showed no sign of having begun this turn within the time allowed and was "
            "stopped."
        ),
        Cause.IDLE: "{name} fell silent for longer than the time allowed and was stopped.",
        Cause.CANCEL_IGNORED: "{name} did not stop when asked to, so its process was ended.",
        Cause.STOP_UNCONFIRMED: "GroupX stopped {name} before it confirmed the end of this turn.",
    }
)
"""What happened; what it means is said after it, by what is known of the delivery."""
_FORCED = "This turn was stopped by force: the process of {name} was ended at once."
_UNSTARTED_EXIT = "{name} ended before it showed that it had begun this turn{how}."
_ASKED = (
    "{name} asked for a decision ({how}), which nobody answers here: the turn was "
    "stopped. Allow it in the program's own settings, then retry."
)


@attrs.frozen(kw_only=True)
class TurnEnd:
    """How the turn ends, in the ledger's terms."""

    cause: Cause
    error_code: str | None = None
    message: str | None = None
    reason: str | None = None
    """Of a cancel, where it is not the cause's own."""
    evidence: bool = False
    stop_reason: str | None = None
    interaction: Mapping[str, str] | None = None
    diagnostic: str | None = None
    """For the agent's last error only; never stored."""
    rebuild: bool = False
    """Whether the session is lost for later turns."""


def end_of_turn(
    end: PromptEnd, *, halt: Halt | None, killed: bool, started: bool, name: str
) -> TurnEnd:
    """How a turn ends by what its driver reported. A completion that beat a halt stays one."""
    if isinstance(end, Completed):
        return TurnEnd(cause=Cause.COMPLETED, evidence=True, stop_reason=end.stop_reason)
    if isinstance(end, Failed):
        return _failed(end, halt, started, name)
    if isinstance(end, Interaction):
        kind, reason = _bounded(end.kind), _bounded(end.reason)
        return TurnEnd(
            cause=Cause.INTERACTION,
            message=_ASKED.format(name=name, how=kind),
            evidence=True,
            interaction={"kind": kind, "reason": reason},
        )
    if isinstance(end, Cancelled):
        cause = _CONFIRMED[halt]
        return TurnEnd(
            cause=cause,
            message=_message(cause, name, halt=halt, delivered=started),
            reason="program" if halt is None else None,
            evidence=started,
            rebuild=ENDINGS[cause].rebuild,
        )
    ended_itself = halt is Halt.CANCEL and not killed
    return _exited(end, Cause.EXITED if ended_itself else _KILLED[halt], halt, started, name)


def _failed(end: Failed, halt: Halt | None, started: bool, name: str) -> TurnEnd:
    evidence = started or end.evidence
    if halt in _TIMED_OUT:
        cause = _CONFIRMED[halt]
        message = _message(cause, name, halt=halt, delivered=evidence)
        return TurnEnd(cause=cause, message=message, evidence=evidence, rebuild=True)
    broken = end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    after = f" {aftermath(delivered=evidence)}" if broken else ""
    return TurnEnd(
        cause=Cause.PROTOCOL_BROKEN if broken else Cause.NATIVE_FAILED,
        error_code=str(end.code),
        message=_bounded(end.message, MAX_MESSAGE_CHARACTERS - len(after)) + after,
        evidence=evidence,
        rebuild=broken or not end.session_usable,
    )


def _exited(end: Exited, cause: Cause, halt: Halt | None, started: bool, name: str) -> TurnEnd:
    how = "" if end.returncode is None else f" (exit code {end.returncode})"
    stderr = excerpt(without_surrogates(end.stderr_excerpt).strip(), MAX_STDERR_CHARACTERS)
    return TurnEnd(
        cause=cause,
        message=_message(cause, name, halt=halt, delivered=started, how=how),
        evidence=started,
        diagnostic=stderr or None,
        rebuild=True,
    )


def _message(
    cause: Cause, name: str, *, halt: Halt | None, delivered: bool, how: str = ""
) -> str | None:
    said = _SAID.get(cause)
    if said is None:
        return None
    if halt is Halt.FORCE:
        said = _FORCED
    elif cause is Cause.EXITED and not delivered:
        said = _UNSTARTED_EXIT
    return f"{said.format(name=name, how=how)} {aftermath(delivered=delivered)}"


def _bounded(text: str, characters: int = MAX_MESSAGE_CHARACTERS) -> str:
    return excerpt(without_surrogates(text), characters)
