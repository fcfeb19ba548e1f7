"""Whatever a program says of a turn: nothing is raised, `Started` is first, tools close once."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.adapters.codex.failures import failure_of
from groupx.adapters.codex.run import TurnRun
from groupx.adapters.codex.turn import NOTIFICATIONS
from groupx.adapters.codex.usage import Meter
from groupx.adapters.contract import Started, ToolUpdate
from groupx.domain.limits import MAX_TOOL_RECORD_BYTES

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
TYPES = ("agentMessage", "reasoning", "commandExecution", "fileChange", "mcpToolCall", "strange")
BIG = st.sampled_from(["\0" * 9000, "é" * 9000, '"' * 9000]) | JSON
FIELDS = (
    *("text", "summary", "content", "command", "arguments", "status", "aggregatedOutput"),
    *("changes", "result", "error", "exitCode", "server", "tool", "path"),
)
ITEM = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES), "id": st.sampled_from(["a", "b"]) | JSON},
    optional=dict.fromkeys(FIELDS, BIG),
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "item": ITEM | JSON,
        "itemId": st.sampled_from(["a", "b"]) | JSON,
        "delta": BIG,
        "message": JSON,
        "summaryIndex": JSON,
        "tokenUsage": st.dictionaries(st.sampled_from(["total", "last"]), JSON) | JSON,
    },
)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(NOTIFICATIONS), PARAMS), max_size=12),
    st.fixed_dictionaries({}, optional={"status": JSON, "error": JSON, "items": st.lists(ITEM)}),
)
def test_a_turn_of_anything(said, end):
    events = []
    run = TurnRun(events.append, Meter())
    run.sent = True
    run.on_answer({"turn": {"id": "t"}})
    for method, params in said:
        run.on_notification(method, params, "t")
    run.on_completed({**end, "id": "t"})
    run.verdict({})
    assert isinstance(events[0], Started)
    assert sum(isinstance(event, Started) for event in events) == 1
    tools = [event for event in events if isinstance(event, ToolUpdate)]
    opened = [tool.tool_call_id for tool in tools if tool.phase == "started"]
    closed = [tool.tool_call_id for tool in tools if tool.phase == "completed"]
    assert sorted(map(str, opened)) == sorted(map(str, closed))
    assert all(len(orjson.dumps(tool.details)) <= MAX_TOOL_RECORD_BYTES for tool in tools)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["message", "codexErrorInfo", "additionalDetails"]), JSON))
def test_an_error_of_anything(error):
    failure = failure_of(error, {"primary": error})
    assert len(failure.message) < 1000
