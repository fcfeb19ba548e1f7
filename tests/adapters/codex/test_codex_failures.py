"""How a turn fails: the kind decides, then the status, then the words."""

import pytest

from conformance.app_server_scenario import BEGINS, ends, fails, opens, says
from conformance.scenario import fails as answers_error
from groupx.adapters.codex.failures import failure_of, reset_time
from groupx.adapters.contract import Failed
from groupx.domain.errors import ErrorCode

LOGIN, QUOTA = ErrorCode.NATIVE_LOGIN_REQUIRED, ErrorCode.NATIVE_QUOTA_EXCEEDED
TURN, REFUSED = ErrorCode.NATIVE_TURN_FAILED, ErrorCode.NATIVE_REFUSED
EXHAUSTED = {"primary": {"usedPercent": 100, "resetsAt": 1796059966}, "secondary": None}


def http(kind, status):
    return {kind: {"httpStatusCode": status}}


@pytest.mark.parametrize(
    ("info", "message", "code"),
    [
        ("unauthorized", "x", LOGIN),
        (http("httpConnectionFailed", 401), "x", LOGIN),
        (http("responseStreamConnectionFailed", 403), "x", LOGIN),
        ("other", "Missing environment variable: `MOCK_KEY`.", LOGIN),
        ("usageLimitExceeded", "x", QUOTA),
        ("rateLimitExceeded", "x", QUOTA),
        (http("responseTooManyFailedAttempts", 429), "x", QUOTA),
        ("other", "exceeded retry limit: 429 Too Many Requests", QUOTA),
        ("cyberPolicy", "x", REFUSED),
        ("contextWindowExceeded", "x", TURN),
        (http("httpConnectionFailed", None), "x", TURN),
        ("internalServerError", "x", TURN),
        ("a kind of tomorrow", "x", TURN),
        ({"new": 7}, "x", TURN),
        (None, "", TURN),
        ([], None, TURN),
    ],
)
def test_what_each_means(info, message, code):
    failure = failure_of({"message": message, "codexErrorInfo": info}, {})
    assert failure.code is code
    assert failure.thread_usable == (info != "contextWindowExceeded")


def test_a_connection_says_so():
    failure = failure_of({"message": "x", "codexErrorInfo": http("httpConnectionFailed", None)}, {})
    assert "connection" in failure.message


def test_the_reset_time_is_told_where_it_is_known():
    error = {"message": "usage limit", "codexErrorInfo": "usageLimitExceeded"}
    assert "2026-11-30 16:52 UTC" not in failure_of(error, {}).message
    assert reset_time(EXHAUSTED) in failure_of(error, EXHAUSTED).message


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (EXHAUSTED, True),
        ({"primary": {"usedPercent": 40, "resetsAt": 1796059966}}, False),
        ({"primary": {"usedPercent": 100, "resetsAt": None}}, False),
        ({"primary": {"usedPercent": 100, "resetsAt": 10**30}}, False),
        ({"primary": None}, False),
        ({}, False),
    ],
)
def test_a_reset_time(limits, told):
    assert (reset_time(limits) is not None) == told


@pytest.mark.parametrize(
    ("info", "code", "usable"),
    [("unauthorized", LOGIN, True), ("contextWindowExceeded", TURN, False)],
)
async def test_a_failed_turn(app_server, info, code, usable):
    async with app_server({"turn/start": [[*BEGINS, says("a"), opens(), fails(info)]]}) as rig:
        turn = await rig.prompt()
        assert rig.session.usable == usable
    assert (turn.end.code, turn.end.evidence, turn.end.session_usable) == (code, True, usable)
    assert turn.tools[-1].status == "failed"


async def test_a_quota_with_its_reset_time(app_server):
    limits = {"send": {"method": "account/rateLimits/updated", "params": {"rateLimits": EXHAUSTED}}}
    steps = [*BEGINS, limits, fails("usageLimitExceeded")]
    async with app_server({"turn/start": [steps]}) as rig:
        turn = await rig.prompt()
    assert turn.end.code is QUOTA
    assert "UTC" in turn.end.message


async def test_an_interrupt_that_nobody_here_asked_for(app_server):
    async with app_server({"turn/start": [[*BEGINS, ends("interrupted")]]}) as rig:
        turn = await rig.prompt()
    assert isinstance(turn.end, Failed)
    assert "not by GroupX" in turn.end.message


async def test_an_unknown_status_is_no_success(app_server):
    async with app_server({"turn/start": [[*BEGINS, says("a"), ends("paused")]]}) as rig:
        turn = await rig.prompt()
    assert turn.end.code is TURN
    assert "paused" in turn.end.message


@pytest.mark.parametrize(
    ("error", "usable", "words"),
    [
        (
            answers_error(
                -32602,
                "Input exceeds the maximum length",
                {"input_error_code": "input_too_large", "max_chars": 10, "actual_chars": 11},
            ),
            True,
            "limits.contextCharacters",
        ),
        (answers_error(-32600, "thread not found: thread-1"), False, "thread not found"),
        (answers_error(-32600, "Invalid request: unknown variant"), True, "unknown variant"),
    ],
)
async def test_a_refused_start(app_server, error, usable, words):
    async with app_server({"turn/start": [[error]]}) as rig:
        turn = await rig.prompt()
        assert rig.session.usable == usable
    assert (turn.end.code, turn.end.session_usable) == (TURN, usable)
    assert words in turn.end.message
