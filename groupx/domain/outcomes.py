"""What happened to a turn → how it ends (docs/reading-a-failure.md), as data."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import attrs

from groupx.domain.errors import ErrorCode
from groupx.domain.turns import TurnEvent


class Cause(StrEnum):
    """Why a turn ended."""

    COMPLETED = "completed"
    START_FAILED = "start_failed"
    EXITED = "exited"
    NATIVE_FAILED = "native_failed"
    PROTOCOL_BROKEN = "protocol_broken"
    NO_FIRST_EVENT = "no_first_event"
    IDLE = "idle"
    INTERACTION = "interaction"
    CANCELLED = "cancelled"
    WITHDRAWN = "withdrawn"
    CANCEL_IGNORED = "cancel_ignored"
    DAEMON_KILLED = "daemon_killed"
    STOP_CONFIRMED = "stop_confirmed"
    STOP_UNCONFIRMED = "stop_unconfirmed"
    PACKET_IMPOSSIBLE = "packet_impossible"
    AGENT_GONE = "agent_gone"
    OTHER_TRANSPORT = "other_transport"


@attrs.frozen
class Ending:
    """The turn event, its error code (None where the cause brings its own or there is none),
    the reason shown, and whether the session must be rebuilt before the next turn."""

    event: TurnEvent
    code: ErrorCode | None = None
    reason: str | None = None
    rebuild: bool = False


ENDINGS: Mapping[Cause, Ending] = MappingProxyType(
    {
        Cause.COMPLETED: Ending(TurnEvent.COMPLETE),
        Cause.START_FAILED: Ending(TurnEvent.REJECT, ErrorCode.ADAPTER_START_FAILED),
        Cause.EXITED: Ending(TurnEvent.INTERRUPT, ErrorCode.ADAPTER_EXITED, rebuild=True),
        Cause.NATIVE_FAILED: Ending(TurnEvent.FAIL, ErrorCode.NATIVE_TURN_FAILED),
        Cause.PROTOCOL_BROKEN: Ending(
            TurnEvent.FAIL, ErrorCode.PROTOCOL_INVALID_MESSAGE, rebuild=True
        ),
        Cause.NO_FIRST_EVENT: Ending(
            TurnEvent.FAIL, ErrorCode.TURN_FIRST_EVENT_TIMEOUT, rebuild=True
        ),
        Cause.IDLE: Ending(TurnEvent.FAIL, ErrorCode.TURN_IDLE_TIMEOUT, rebuild=True),
        Cause.INTERACTION: Ending(TurnEvent.FAIL, ErrorCode.UNEXPECTED_NATIVE_INTERACTION),
        Cause.CANCELLED: Ending(TurnEvent.NATIVE_CANCELLED, reason="user"),
        Cause.WITHDRAWN: Ending(TurnEvent.WITHDRAW, reason="withdrawn"),
        Cause.CANCEL_IGNORED: Ending(
            TurnEvent.INTERRUPT, ErrorCode.TURN_CANCEL_TIMEOUT, rebuild=True
        ),
        Cause.DAEMON_KILLED: Ending(TurnEvent.INTERRUPT, ErrorCode.TURN_INTERRUPTED),
        Cause.STOP_CONFIRMED: Ending(TurnEvent.NATIVE_CANCELLED, reason="runtime_stop"),
        Cause.STOP_UNCONFIRMED: Ending(TurnEvent.INTERRUPT, ErrorCode.TURN_INTERRUPTED),
        Cause.PACKET_IMPOSSIBLE: Ending(TurnEvent.REJECT, ErrorCode.CONTEXT_BUDGET_EXCEEDED),
        Cause.AGENT_GONE: Ending(TurnEvent.REJECT, ErrorCode.ADAPTER_NOT_FOUND),
        Cause.OTHER_TRANSPORT: Ending(TurnEvent.REJECT, ErrorCode.TRANSPORT_MODE_MISMATCH),
    }
)

PROVES_DELIVERY = frozenset({Cause.COMPLETED, Cause.NATIVE_FAILED, Cause.INTERACTION})
"""Only a program that has the prompt can answer like this."""
