"""The error table of the HTTP contract, written out a second time."""

import pytest

from groupx.domain.errors import HTTP_STATUS, ErrorCode, GroupXError

TABLE = {
    400: {"INVALID_ENVELOPE", "SENDER_FIELD_FORBIDDEN", "SUPERVISION_PAIR_INVALID"},
    401: {"UNAUTHORIZED"},
    403: {"FORBIDDEN_HOST", "FORBIDDEN_ORIGIN", "MCP_BINDING_MISMATCH"},
    404: {"NOT_FOUND", "UNKNOWN_TARGET", "UNKNOWN_ACTOR", "ADAPTER_NOT_FOUND"},
    405: {"METHOD_NOT_ALLOWED"},
    409: {
        "CLIENT_COMMAND_CONFLICT", "STORE_CONFLICT", "DUPLICATE_DISPATCH", "CAUSAL_CYCLE",
        "TARGET_NOT_RUNNING", "TURN_NOT_QUEUED", "POLICY_REVISION_STALE", "POLICY_EXCLUDED",
        "SUPERVISION_WATCH_REQUIRED", "SUPERVISION_STEER_REQUIRED", "SESSION_NOT_AVAILABLE",
        "RUNTIME_SCOPE_MISMATCH",
    },
    413: {"MESSAGE_TOO_LARGE"},
    415: {"UNSUPPORTED_MEDIA_TYPE"},
    422: {"PROVIDER_NOT_CLAIMED"},
    429: {
        "QUEUE_CAPACITY_REACHED", "ROOT_TURN_LIMIT_REACHED", "HOP_LIMIT_REACHED",
        "ACTOR_CALL_LIMIT_REACHED", "STEER_LIMIT_REACHED",
    },
    500: {"INTERNAL_ERROR"},
    503: {
        "STORE_UNAVAILABLE", "STORE_BUSY", "RUNTIME_STARTING", "RUNTIME_CLOSING",
        "MCP_UNAVAILABLE", "SCHEMA_MISMATCH", "SCHEMA_CORRUPT", "SCHEMA_CONFLICT",
    },
}  # fmt: skip


def test_the_whole_table() -> None:
    assert {str(code): status for code, status in HTTP_STATUS.items()} == {
        code: status for status, codes in TABLE.items() for code in codes
    }


def test_one_json_shape() -> None:
    error = GroupXError(ErrorCode.UNKNOWN_TARGET, "No such agent.", target="agent:x")
    assert error.http_status == 404
    assert error.to_wire() == {
        "error": {
            "code": "UNKNOWN_TARGET",
            "message": "No such agent.",
            "details": {"target": "agent:x"},
        }
    }
    assert "details" not in GroupXError(ErrorCode.NOT_FOUND, "Gone.").to_wire()["error"]


@pytest.mark.parametrize("code", [ErrorCode.TURN_INTERRUPTED, ErrorCode.ADAPTER_EXITED])
def test_codes_of_turn_events_answer_no_request(code: ErrorCode) -> None:
    assert code not in HTTP_STATUS
