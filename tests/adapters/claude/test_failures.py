"""What the result of a failed turn means."""

import pytest

from conformance.stream_json_scenario import ends, fails
from groupx.adapters.claude.failures import classify, explain
from groupx.domain.errors import ErrorCode

QUOTA, LOGIN = ErrorCode.NATIVE_QUOTA_EXCEEDED, ErrorCode.NATIVE_LOGIN_REQUIRED
FAILED, REFUSED = ErrorCode.NATIVE_TURN_FAILED, ErrorCode.NATIVE_REFUSED


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        (fails("API Error: 401 mock", 401), LOGIN),
        (fails("Not logged in · Please run /login"), LOGIN),
        (fails("API Error: 429", 429), QUOTA),
        (fails("Claude usage limit reached. Your limit will reset at 3pm."), QUOTA),
        (fails("API Error: 529 overloaded", 529), FAILED),
        (fails("API Error: 400 mock error", 400), FAILED),
        (fails("No", subtype="error_max_budget_usd"), QUOTA),
        (fails("That cannot be said", stop_reason="refusal"), REFUSED),
        (ends(stop_reason="refusal"), REFUSED),
        (ends(subtype="error_during_execution", is_error=True, errors=["it broke"]), FAILED),
    ],
)
def test_what_a_result_means(steps, code):
    result = steps[0]["send"]
    assert classify(result, None) is code
    assert explain(result, code)


@pytest.mark.parametrize(
    ("error", "code"),
    [("billing_error", QUOTA), ("authentication_failed", LOGIN), ("of tomorrow", FAILED)],
)
def test_what_the_program_calls_an_error_of_the_api(error, code):
    assert classify(fails("x")[0]["send"], error) is code
