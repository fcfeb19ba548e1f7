"""The attempt machine: how far one delivery of a prompt got, and how sure we are of it."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from groupx.domain.errors import ErrorCode, GroupXError


class DispatchPhase(StrEnum):
    """How far the delivery went."""

    PREPARED = "prepared"
    PROMPT_INVOKED = "prompt_invoked"
    NATIVE_STARTED = "native_started"
    TERMINAL = "terminal"


class DeliveryCertainty(StrEnum):
    """What is known of the delivery; it only ever rises."""

    NOT_DELIVERED = "not_delivered"
    UNKNOWN = "unknown"
    DELIVERED = "delivered"


class Reconciliation(StrEnum):
    """What the native program said of an attempt after a crash."""

    NONE = "none"
    MATCHED_RUNNING = "matched_running"
    MATCHED_TERMINAL = "matched_terminal"
    NOT_FOUND = "not_found"
    UNAVAILABLE = "unavailable"
    UNSUPPORTED = "unsupported"


class AttemptEvent(StrEnum):
    """What can happen to an attempt."""

    INVOKE = "invoke"
    STARTED = "started"
    CLOSE_UNSENT = "close_unsent"
    CLOSE_UNKNOWN = "close_unknown"
    CLOSE_DELIVERED = "close_delivered"


AttemptState = tuple[DispatchPhase, DeliveryCertainty]

_P, _C, _E = DispatchPhase, DeliveryCertainty, AttemptEvent

PREPARED: AttemptState = (_P.PREPARED, _C.NOT_DELIVERED)
INVOKED: AttemptState = (_P.PROMPT_INVOKED, _C.UNKNOWN)
STARTED: AttemptState = (_P.NATIVE_STARTED, _C.DELIVERED)

TRANSITIONS: Mapping[tuple[AttemptState, AttemptEvent], AttemptState] = MappingProxyType(
    {
        (PREPARED, _E.INVOKE): INVOKED,
        (PREPARED, _E.CLOSE_UNSENT): (_P.TERMINAL, _C.NOT_DELIVERED),
        (INVOKED, _E.STARTED): STARTED,
        (INVOKED, _E.CLOSE_UNKNOWN): (_P.TERMINAL, _C.UNKNOWN),
        (INVOKED, _E.CLOSE_DELIVERED): (_P.TERMINAL, _C.DELIVERED),
        (STARTED, _E.CLOSE_DELIVERED): (_P.TERMINAL, _C.DELIVERED),
    }
)

MAX_ATTEMPTS = 3
"""Attempts of one turn before it fails with ADAPTER_START_FAILED."""


def next_attempt_state(state: AttemptState, event: AttemptEvent) -> AttemptState:
    """The state after `event`; STORE_CONFLICT when the table has no such pair."""
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        phase, certainty = state
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"An attempt that is {phase}/{certainty} cannot take '{event}'; nothing was changed.",
        ) from None


def closing_event(state: AttemptState, evidence: bool) -> AttemptEvent:
    """How an open attempt closes, given whether there is evidence that its native turn began."""
    if state == PREPARED:
        return AttemptEvent.CLOSE_UNSENT
    if state == STARTED or evidence:
        return AttemptEvent.CLOSE_DELIVERED
    return AttemptEvent.CLOSE_UNKNOWN
