"""Every error code a user or an agent can see, and the HTTP status it answers with."""

from collections.abc import Mapping
from enum import StrEnum, auto
from types import MappingProxyType
from typing import Any


class ErrorCode(StrEnum):
    """Stable names; the value is the wire form."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[str]) -> str:
        return name

    INVALID_ENVELOPE = auto()
    SENDER_FIELD_FORBIDDEN = auto()
    SUPERVISION_PAIR_INVALID = auto()
    UNAUTHORIZED = auto()
    FORBIDDEN_HOST = auto()
    FORBIDDEN_ORIGIN = auto()
    MCP_BINDING_MISMATCH = auto()
    NOT_FOUND = auto()
    UNKNOWN_TARGET = auto()
    UNKNOWN_ACTOR = auto()
    ADAPTER_NOT_FOUND = auto()
    METHOD_NOT_ALLOWED = auto()
    CLIENT_COMMAND_CONFLICT = auto()
    STORE_CONFLICT = auto()
    DUPLICATE_DISPATCH = auto()
    CAUSAL_CYCLE = auto()
    TARGET_NOT_RUNNING = auto()
    TURN_NOT_QUEUED = auto()
    POLICY_REVISION_STALE = auto()
    POLICY_EXCLUDED = auto()
    SUPERVISION_WATCH_REQUIRED = auto()
    SUPERVISION_STEER_REQUIRED = auto()
    SESSION_NOT_AVAILABLE = auto()
    RUNTIME_SCOPE_MISMATCH = auto()
    MESSAGE_TOO_LARGE = auto()
    UNSUPPORTED_MEDIA_TYPE = auto()
    PROVIDER_NOT_CLAIMED = auto()
    QUEUE_CAPACITY_REACHED = auto()
    ROOT_TURN_LIMIT_REACHED = auto()
    HOP_LIMIT_REACHED = auto()
    ACTOR_CALL_LIMIT_REACHED = auto()
    STEER_LIMIT_REACHED = auto()
    INTERNAL_ERROR = auto()
    STORE_UNAVAILABLE = auto()
    STORE_BUSY = auto()
    RUNTIME_STARTING = auto()
    RUNTIME_CLOSING = auto()
    MCP_UNAVAILABLE = auto()
    SCHEMA_MISMATCH = auto()
    SCHEMA_CORRUPT = auto()
    SCHEMA_CONFLICT = auto()
    # Only inside turn and session events, never the answer to a request:
    ADAPTER_START_FAILED = auto()
    ADAPTER_EXITED = auto()
    PROTOCOL_HANDSHAKE_TIMEOUT = auto()
    PROTOCOL_INVALID_MESSAGE = auto()
    NATIVE_RESUME_UNSUPPORTED = auto()
    NATIVE_POLICY_BLOCKED = auto()
    NATIVE_LOGIN_REQUIRED = auto()
    NATIVE_QUOTA_EXCEEDED = auto()
    NATIVE_REFUSED = auto()
    NATIVE_TURN_FAILED = auto()
    TURN_FIRST_EVENT_TIMEOUT = auto()
    TURN_IDLE_TIMEOUT = auto()
    TURN_CANCEL_TIMEOUT = auto()
    TURN_INTERRUPTED = auto()
    UNEXPECTED_NATIVE_INTERACTION = auto()
    TRANSPORT_MODE_MISMATCH = auto()
    CONTEXT_BUDGET_EXCEEDED = auto()


_CODES_BY_STATUS = {
    400: "INVALID_ENVELOPE SENDER_FIELD_FORBIDDEN SUPERVISION_PAIR_INVALID",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN_HOST FORBIDDEN_ORIGIN MCP_BINDING_MISMATCH",
    404: "NOT_FOUND UNKNOWN_TARGET UNKNOWN_ACTOR ADAPTER_NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    409: "CLIENT_COMMAND_CONFLICT STORE_CONFLICT DUPLICATE_DISPATCH CAUSAL_CYCLE "
    "TARGET_NOT_RUNNING TURN_NOT_QUEUED POLICY_REVISION_STALE POLICY_EXCLUDED "
    "SUPERVISION_WATCH_REQUIRED SUPERVISION_STEER_REQUIRED SESSION_NOT_AVAILABLE "
    "RUNTIME_SCOPE_MISMATCH",
    413: "MESSAGE_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    422: "PROVIDER_NOT_CLAIMED",
    429: "QUEUE_CAPACITY_REACHED ROOT_TURN_LIMIT_REACHED HOP_LIMIT_REACHED "
    "ACTOR_CALL_LIMIT_REACHED STEER_LIMIT_REACHED",
    500: "INTERNAL_ERROR",
    503: "STORE_UNAVAILABLE STORE_BUSY RUNTIME_STARTING RUNTIME_CLOSING MCP_UNAVAILABLE "
    "SCHEMA_MISMATCH SCHEMA_CORRUPT SCHEMA_CONFLICT",
}

HTTP_STATUS: Mapping[ErrorCode, int] = MappingProxyType(
    {
        ErrorCode(name): status
        for status, names in _CODES_BY_STATUS.items()
        for name in names.split()
    }
)
"""Code → status for every code that a request can be answered with."""


class GroupXError(Exception):
    """A refusal or failure with a code; `message` says what happened, what it means, what to do."""

    def __init__(self, code: ErrorCode, message: str, **details: Any) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.details: dict[str, Any] = details

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @property
    def http_status(self) -> int:
        """The status by `HTTP_STATUS`; 500 for a code that no request is answered with."""
        return HTTP_STATUS.get(self.code, 500)

    def to_wire(self) -> dict[str, Any]:
        """The one JSON error shape."""
        error: dict[str, Any] = {"code": str(self.code), "message": self.message}
        if self.details:
            error["details"] = self.details
        return {"error": error}


class RecordedRefusal(GroupXError):
    """A refusal that is itself on record: what its write stored before it was raised is kept."""
