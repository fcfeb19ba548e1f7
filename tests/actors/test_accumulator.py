"""What is kept of a turn: in order, joined, and never more than its bounds."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.actors.accumulator import Accumulator
from groupx.actors.bounded_text import BoundedText
from groupx.adapters.acp.updates import TurnReader
from groupx.adapters.contract import ContentDelta, ToolUpdate
from groupx.adapters.json_lines import Json
from groupx.domain.limits import (
    MAX_EVENT_BYTES,
    MAX_RESPONSE_BYTES,
    MAX_TOOL_RECORD_BYTES,
    MAX_TOOL_RECORDS,
)


def tool(phase: str = "started", call: str | None = "t", **details) -> ToolUpdate:
    return ToolUpdate(
        phase=phase, tool_call_id=call, name="read", status="in_progress", details=details
    )


def test_segments_are_joined_by_a_blank_line_once() -> None:
    heard = Accumulator()
    heard.add_content(ContentDelta("a", new_segment=True))
    heard.add_content(ContentDelta("b"))
    heard.add_content(ContentDelta("", new_segment=True))
    heard.add_tool(tool())
    heard.add_content(ContentDelta("c", new_segment=True))
    heard.add_content(ContentDelta("d"))
    assert heard.response == "ab\n\ncd"
    assert heard.response[heard.final_offset :] == "cd"


@pytest.mark.parametrize(
    "native",
    [
        ("One", "Two"),
        ("One\n", "Two"),
        ("One\n\n", "Two"),
        ("One", "\n\nTwo"),
        ("One\n", "\nTwo"),
        ("One", "\n", "\n", "Two"),
    ],
)
def test_newlines_of_the_program_do_not_double_the_blank_line(native) -> None:
    first, *rest = native
    for opens in (lambda heard: heard.add_tool(tool()), lambda _: None):
        heard = Accumulator()
        heard.add_content(ContentDelta(first))
        opens(heard)
        for number, text in enumerate(rest):
            heard.add_content(ContentDelta(text, new_segment=number == 0))
        assert heard.response == "One\n\nTwo"
        assert heard.response[heard.final_offset :] == "Two"


def test_a_tool_before_any_text_opens_no_segment() -> None:
    heard = Accumulator()
    heard.add_tool(tool())
    heard.add_content(ContentDelta("\nDone"))
    assert (heard.response, heard.final_offset) == ("\nDone", 0)


def test_a_tool_that_only_moves_or_closes_is_no_new_segment() -> None:
    heard = Accumulator()
    heard.add_tool(tool())
    heard.add_content(ContentDelta("a"))
    heard.add_tool(tool("updated"))
    heard.add_tool(tool("completed"))
    heard.add_content(ContentDelta("b"))
    assert heard.response == "ab"


events = st.lists(
    st.one_of(
        st.builds(ContentDelta, st.text(max_size=20), st.booleans()),
        st.builds(tool, st.sampled_from(["started", "updated", "completed"])),
    )
)


@pytest.mark.slow
@given(events)
def test_the_pieces_put_together_are_the_response(stream) -> None:
    heard = Accumulator()
    pieces = []
    for event in stream:
        if isinstance(event, ContentDelta):
            pieces.append(heard.add_content(event))
        else:
            heard.add_tool(event)
        assert heard.live().chunk_index == sum(map(bool, pieces))
    assert "".join(pieces) == heard.response == heard.live().text
    assert 0 <= heard.final_offset <= len(heard.response)


def said(text: str, message: str | None) -> Json:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return update if message is None else {**update, "messageId": message}


def called(call: str) -> Json:
    return {"sessionUpdate": "tool_call", "toolCallId": call, "title": "read"}


@pytest.mark.slow
@given(
    st.lists(
        st.one_of(
            st.builds(
                said,
                st.text("a \n\U0001d11e", max_size=5),
                st.sampled_from([None, "m1", "m2", "m3"]),
            ),
            st.builds(called, st.sampled_from("123")),
        )
    )
)
def test_what_streams_is_what_is_kept_from_the_wire_to_the_ledger(updates) -> None:
    """The segments by a model of their own; then no line between two of them is doubled."""
    segments, message, tools, opens = [""], None, set(), False
    heard, pieces = Accumulator(), []

    def hear(event) -> None:
        if isinstance(event, ContentDelta):
            pieces.append(heard.add_content(event))
        elif isinstance(event, ToolUpdate):
            heard.add_tool(event)

    reader = TurnReader(hear)
    for update in updates:
        reader.read(update)
        if update["sessionUpdate"] == "tool_call":
            opens |= update["toolCallId"] not in tools
            tools.add(update["toolCallId"])
            continue
        now = update.get("messageId", message)
        opens |= message is not None and now != message
        message = now
        text = update["content"]["text"]
        text = text.lstrip("\n") if opens and segments != [""] else text
        if text and opens and segments != [""]:
            segments.append("")
        segments[-1] += text
        opens = opens and not text
    *earlier, last = segments
    assert "".join(pieces) == heard.response
    assert heard.response[heard.final_offset :] == last
    before = heard.response[: heard.final_offset]
    for segment in earlier:
        assert before.startswith(segment)
        before = before[len(segment) :]
        newlines = min(2, len(segment) - len(segment.rstrip("\n")))
        assert before.startswith("\n" * (2 - newlines))
        before = before[2 - newlines :]
    assert before == ""


@pytest.mark.slow
@given(
    st.lists(st.text(max_size=200), max_size=30),
    st.integers(1, 900),
    st.sampled_from(["", "\x00", '"', "é", "\ud83d", "𝄞"]),
)
def test_bounded_text_is_a_prefix_within_its_bound(pieces, bound, filler) -> None:
    text = BoundedText(bound)
    kept = [text.append(piece + filler) for piece in pieces]
    assert "".join(kept) == text.text
    assert text.bytes == len(text.text.encode()) <= bound
    assert text.characters == len(text.text)
    whole = "".join((piece + filler).replace("\ud83d", "\ufffd") for piece in pieces)
    assert whole.startswith(text.text)
    assert text.truncated == (text.text != whole)


def test_a_response_fits_into_an_event_whatever_it_is_made_of() -> None:
    for character in ("x", "\x00", '"', "漢", "\n"):
        heard = Accumulator()
        for _ in range(40):
            heard.add_content(ContentDelta(character * 100_000))
        assert heard.truncated
        assert heard.response_bytes <= MAX_RESPONSE_BYTES
        assert len(orjson.dumps({"content": heard.response})) < MAX_EVENT_BYTES - 64_000


def test_tool_records_are_bounded_and_say_what_is_missing() -> None:
    heard = Accumulator()
    for n in range(500):
        heard.add_tool(tool("started", f"t{n}", n=n))
        heard.add_tool(tool("updated", f"t{n}"))
        heard.add_tool(tool("completed", f"t{n}"))
    tools = heard.tools()
    assert len(tools) == MAX_TOOL_RECORDS
    assert tools[-1].details["omitted"] == 1_000 - (MAX_TOOL_RECORDS - 1)
    assert len(heard.live().tools) == MAX_TOOL_RECORDS
    assert not heard.tool_is_open


def test_details_that_are_too_big_or_no_json_are_dropped_with_a_mark() -> None:
    heard = Accumulator()
    big = heard.add_tool(tool(output="x" * 10_000))
    odd = heard.add_tool(tool("completed", output="\ud800"))
    for step in (big, odd):
        assert step.details["truncated"] is True
        assert step.details["name"] == "read"
        assert len(orjson.dumps(step.details)) <= MAX_TOOL_RECORD_BYTES


def test_a_details_field_cannot_pass_for_the_status() -> None:
    step = Accumulator().add_tool(tool(status="completed", path="x"))
    assert step.details == {
        "name": "read",
        "kind": "other",
        "status": "in_progress",
        "path": "x",
    }
