"""The suite sees what is wrong: each way in which a driver may be broken is a problem."""

from types import SimpleNamespace

import attrs
import pytest

from conformance.case import Expect
from conformance.dialects.acp import AcpDialect
from conformance.judging import problems_of
from conformance.recording import Recording
from conformance.suite import cancels_by_turn
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    Exited,
    Failed,
    Interaction,
    ReasoningDelta,
    Started,
    ToolUpdate,
)
from groupx.domain.context_usage import Usage
from groupx.domain.errors import ErrorCode

PROMPT = {"method": "session/prompt", "params": {"prompt": [{"text": "x"}]}}
STOP = {"method": "session/cancel"}
FAILED = Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="it broke")
ASKED = Interaction(kind="permission", reason="rm")


def tool(phase, status="completed", **details):
    return ToolUpdate(phase=phase, tool_call_id="t", name="x", status=status, details=details)


EVENTS = [Started(), ContentDelta("a"), tool("started"), tool("completed")]
GOOD = Recording(events=EVENTS, end=Completed())
EXPECT = Expect(text="a", segments=1, reasoning="", tools={"t": "completed"})


def judged(recording, expect=EXPECT, *, usable=True):
    return problems_of(recording, expect, SimpleNamespace(usable=usable))


def test_what_is_right_has_no_problems():
    assert judged(GOOD) == []


@pytest.mark.parametrize(
    "events",
    [
        EVENTS[1:],
        [Started(), *EVENTS],
        [EVENTS[1], EVENTS[0], *EVENTS[2:]],
        [*EVENTS, ContentDelta("a")],
        [*EVENTS, ContentDelta("", new_segment=True)],
        [*EVENTS, ReasoningDelta("hm")],
        EVENTS[:-1],
        [*EVENTS, tool("completed")],
        [*EVENTS[:-1], tool("completed", "failed")],
        [*EVENTS[:2], tool("completed"), tool("started")],
        [*EVENTS[:-1], tool("completed", text="x" * 5_000)],
    ],
)
def test_wrong_events(events):
    assert judged(attrs.evolve(GOOD, events=events)) != []


@pytest.mark.parametrize(
    "changes",
    [
        {"end": FAILED},
        {"end": Cancelled()},
        {"end": ASKED},
        {"end": Exited(returncode=0)},
        {"end": Completed(stop_reason="max_tokens")},
        {"after_end": 1},
    ],
)
def test_wrong_ends(changes):
    assert judged(attrs.evolve(GOOD, **changes)) != []


@pytest.mark.parametrize(
    ("end", "right", "wrong"),
    [
        (Completed(usage=Usage(context_used=3)), {"context": 3}, {"context": 4}),
        (
            FAILED,
            {"status": "failed", "code": ErrorCode.NATIVE_TURN_FAILED, "says": "broke"},
            {"says": "another"},
        ),
        (attrs.evolve(FAILED, session_usable=False), {"usable": None}, {"usable": True}),
        (
            ASKED,
            {"status": "failed", "code": ErrorCode.UNEXPECTED_NATIVE_INTERACTION, "says": "rm"},
            {"kind": "elicitation"},
        ),
        (
            Exited(returncode=3),
            {"status": "interrupted", "code": ErrorCode.ADAPTER_EXITED, "returncode": 3},
            {"returncode": 0},
        ),
    ],
)
def test_wrong_details(end, right, wrong):
    if isinstance(end, Failed):
        right = {"status": "failed", "code": end.code, **right}
    recording = attrs.evolve(GOOD, end=end)
    assert judged(recording, Expect(**right)) == []
    assert judged(recording, Expect(**{**right, **wrong})) != []


def test_a_kill_after_a_cancel_is_an_ignored_cancel():
    recording = attrs.evolve(GOOD, end=Exited(returncode=-9), cancelled=True, killed=True)
    ignored = Expect(status="interrupted", code=ErrorCode.TURN_CANCEL_TIMEOUT)
    assert judged(recording, ignored) == []
    assert judged(attrs.evolve(recording, killed=False), ignored) != []


@pytest.mark.parametrize("usable", [True, False])
def test_whether_the_session_is_usable(usable):
    assert judged(GOOD, attrs.evolve(EXPECT, usable=usable), usable=usable) == []
    assert judged(GOOD, attrs.evolve(EXPECT, usable=usable), usable=not usable) != []
    assert judged(GOOD, attrs.evolve(EXPECT, usable=None), usable=usable) == []


def test_a_start_where_none_could_be_known():
    exited = Expect(status="interrupted", code=ErrorCode.ADAPTER_EXITED, delivered=False)
    assert judged(Recording(end=Exited(returncode=0)), exited) == []
    assert judged(Recording(events=[Started()], end=Exited(returncode=0)), exited) != []


@pytest.mark.parametrize(
    ("frames", "asked"),
    [
        ([], []),
        ([PROMPT, STOP], [1]),
        ([PROMPT, STOP, STOP, PROMPT, PROMPT, STOP], [2, 0, 1]),
    ],
)
def test_each_turn_is_held_to_its_own_cancels(frames, asked):
    assert cancels_by_turn(AcpDialect("x"), frames) == asked
