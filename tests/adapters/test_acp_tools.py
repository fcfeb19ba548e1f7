import json

import orjson
from hypothesis import given
from hypothesis import strategies as st

from groupx.adapters.acp.tools import MAX_TRACKED, ToolBook, details_of
from groupx.domain.limits import MAX_TOOL_RECORD_BYTES

ANYTHING = st.sampled_from([None, 7, "words", [], [None], [{}], [{"content": 1}], {"path": "x"}])
STATUS = st.sampled_from(["pending", "in_progress", "completed", "failed", "odd"])
UPDATES = st.fixed_dictionaries(
    {"toolCallId": st.sampled_from(["a", "b", "", None])},
    optional={"title": ANYTHING, "status": STATUS | ANYTHING, "content": ANYTHING}
    | dict.fromkeys(("kind", "rawInput", "rawOutput", "locations"), ANYTHING),
)


@given(st.lists(UPDATES))
def test_each_call_opens_first_and_closes_once(updates):
    book = ToolBook()
    events = [event for update in updates for event in book.record(update)]
    events += book.close_open("failed")
    for call_id in {event.tool_call_id for event in events}:
        phases = [event.phase for event in events if event.tool_call_id == call_id]
        assert phases[0] == "started"
        assert phases[-1] == "completed"
        assert phases.count("started") == phases.count("completed") == 1


@given(st.text(max_size=50), st.integers(1, 2000))
def test_details_are_bounded(text, times):
    big = text * times
    content = [{"type": "content", "content": {"type": "text", "text": big}}]
    paths = [{"path": big}] * 20
    details = details_of({"content": content, "rawInput": {"x": big}, "locations": paths})
    assert len(orjson.dumps(details)) <= MAX_TOOL_RECORD_BYTES


def test_control_characters_stay_within_the_bound():
    big = "\x01" * 10_000
    details = details_of({"rawOutput": big, "rawInput": big, "locations": [{"path": big}] * 20})
    assert len(json.dumps(details)) <= MAX_TOOL_RECORD_BYTES


def test_a_diff_is_told_by_its_path():
    content = [{"type": "diff", "path": "/a.py", "oldText": "secret", "newText": "x"}]
    assert details_of({"content": content}) == {"text": "edited /a.py"}


def test_raw_output_only_where_there_is_no_text():
    text = [{"type": "content", "content": {"type": "text", "text": "hi"}}]
    assert details_of({"content": text, "rawOutput": "bytes"}) == {"text": "hi"}
    assert details_of({"rawOutput": "out"}) == {"text": "out"}
    assert details_of({"rawOutput": {"output": [104, 105]}}) == {}
    assert details_of({"rawOutput": {"output": "out", "exit": 0}}) == {"text": "out"}
    assert details_of({"rawOutput": {"output": {"OkayOutput": "out"}}}) == {"text": "out"}


def test_what_is_followed_is_bounded():
    book = ToolBook()
    for number in range(MAX_TRACKED + 10):
        book.record({"toolCallId": str(number)})
    assert len(book.close_open("failed")) == MAX_TRACKED
