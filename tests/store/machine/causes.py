"""How turns end, written out again from the tables: cause → status, code, and from where."""

from groupx.domain.outcomes import Cause

CAUSES: dict[Cause, tuple[str, str | None, str]] = {
    Cause.COMPLETED: ("completed", None, "complete"),
    Cause.START_FAILED: ("failed", "ADAPTER_START_FAILED", "reject"),
    Cause.EXITED: ("interrupted", "ADAPTER_EXITED", "interrupt"),
    Cause.NATIVE_FAILED: ("failed", "NATIVE_TURN_FAILED", "fail"),
    Cause.PROTOCOL_BROKEN: ("failed", "PROTOCOL_INVALID_MESSAGE", "fail"),
    Cause.NO_FIRST_EVENT: ("failed", "TURN_FIRST_EVENT_TIMEOUT", "fail"),
    Cause.IDLE: ("failed", "TURN_IDLE_TIMEOUT", "fail"),
    Cause.INTERACTION: ("failed", "UNEXPECTED_NATIVE_INTERACTION", "fail"),
    Cause.CANCELLED: ("cancelled", None, "cancel"),
    Cause.WITHDRAWN: ("cancelled", None, "withdraw"),
    Cause.CANCEL_IGNORED: ("interrupted", "TURN_CANCEL_TIMEOUT", "interrupt"),
    Cause.DAEMON_KILLED: ("interrupted", "TURN_INTERRUPTED", "interrupt"),
    Cause.STOP_CONFIRMED: ("cancelled", None, "cancel"),
    Cause.STOP_UNCONFIRMED: ("interrupted", "TURN_INTERRUPTED", "interrupt"),
    Cause.PACKET_IMPOSSIBLE: ("failed", "CONTEXT_BUDGET_EXCEEDED", "reject"),
    Cause.AGENT_GONE: ("failed", "ADAPTER_NOT_FOUND", "reject"),
    Cause.OTHER_TRANSPORT: ("failed", "TRANSPORT_MODE_MISMATCH", "reject"),
}
PROVES = {Cause.COMPLETED, Cause.NATIVE_FAILED, Cause.INTERACTION}
"""Only a program that has the prompt ends like this."""
QUEUED = {"cancel", "withdraw", "reject", "fail"}
PREPARED = {"cancel", "reject", "fail", "interrupt"}
SENT = {"complete", "cancel", "reject", "fail", "interrupt"}
