import pytest

from groupx.adapters.acp.failures import (
    MESSAGE_CHARACTERS,
    classify,
    explain,
    forgets_session,
    words_of,
)
from groupx.adapters.jsonrpc import RpcError
from groupx.domain.errors import ErrorCode

LOGIN = ErrorCode.NATIVE_LOGIN_REQUIRED
QUOTA = ErrorCode.NATIVE_QUOTA_EXCEEDED
FAILED = ErrorCode.NATIVE_TURN_FAILED


@pytest.mark.parametrize(
    ("code", "message", "data", "expected"),
    [
        (-32000, "whatever", None, LOGIN),
        (-32603, "Incorrect API key provided", None, LOGIN),
        (-32603, "Internal error", {"status": 401}, LOGIN),
        (-32603, "You are logged out", None, LOGIN),
        (-32603, "429 Too Many Requests", None, QUOTA),
        (-32603, "insufficient_credits", None, QUOTA),
        (-32603, "Internal error", {"details": ["Quota exceeded for project"]}, QUOTA),
        (-32603, "Internal error", {"details": "'NoneType' object has no attribute"}, FAILED),
        (-32603, "The author of line 4290 is 4010", None, FAILED),
        (-32600, "another turn is already in progress", {"code": "turn.agent_busy"}, FAILED),
    ],
)
def test_what_an_error_means(code, message, data, expected):
    assert classify(RpcError(code, message, data)) is expected


def test_the_words_are_the_programs_own_and_bounded():
    error = RpcError(-32603, "Internal error.", {"a": {"b": "why", "c": {"d": {"e": "deep"}}}})
    assert words_of(error) == "Internal error · why"
    assert len(words_of(RpcError(1, "x" * 10_000))) == MESSAGE_CHARACTERS
    assert explain(error).startswith("The program reported: Internal error · why. ")


@pytest.mark.parametrize(
    ("code", "message", "data", "forgotten"),
    [
        (-32002, "Resource not found", None, True),
        (-32602, "Invalid params", "unknown session id", True),
        (-32602, "Invalid params: session not found: session-1", None, True),
        (-32603, "Internal error", None, False),
        (-32000, "Authentication required", None, False),
    ],
)
def test_what_says_that_the_session_is_unknown(code, message, data, forgotten):
    assert forgets_session(RpcError(code, message, data)) == forgotten
