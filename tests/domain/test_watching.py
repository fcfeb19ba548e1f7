"""What is a milestone, and what of a tool an observer may see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.ids import ActorId
from groupx.domain.turns import TERMINAL, TurnStatus
from groupx.domain.watching import (
    MAX_TOOL_CHARACTERS,
    MAX_TOOLS,
    Excerpt,
    Milestone,
    Shown,
    ToolGlance,
    WatchSnapshot,
    ends_watch,
    glances,
    milestones_between,
    shown_of,
)
from groupx.domain.wire import to_wire

M, S = Milestone, TurnStatus


def shown(status=S.RUNNING, **tools):
    """`shown(t="open")`: one tool call named t."""
    return Shown(
        status=status,
        tools=tuple(
            ToolGlance(tool_call_id=name, name="Bash", status="x", open=state == "open")
            for name, state in tools.items()
        ),
    )


@pytest.mark.parametrize(
    ("events", "before", "now", "found"),
    [
        ((), shown(), shown(), ()),
        ((M.STARTED,), shown(S.DISPATCHING), shown(), (M.STARTED,)),
        ((), shown(), shown(t="open"), (M.TOOL_OPENED,)),
        ((), shown(t="open"), shown(t="open"), ()),
        ((), shown(t="open"), shown(t="closed"), (M.TOOL_CLOSED,)),
        ((), shown(t="closed"), shown(t="closed"), ()),
        ((), shown(), shown(t="closed"), (M.TOOL_OPENED, M.TOOL_CLOSED)),
        ((), shown(t="open"), shown(u="open"), (M.TOOL_OPENED,)),
        ((), shown(t="open"), shown(), ()),
        ((), shown(), shown(S.CANCELLING), (M.CANCELLED,)),
        ((), shown(S.CANCELLING), shown(S.CANCELLING), ()),
        ((), shown(), shown(S.FAILED), (M.TERMINAL,)),
        ((M.MESSAGE, M.STEER), shown(), shown(), (M.MESSAGE, M.STEER)),
        ((M.CANCELLED, M.TERMINAL), shown(), shown(S.CANCELLED), (M.CANCELLED, M.TERMINAL)),
    ],
)
def test_milestones(events, before, now, found):
    assert milestones_between(events, before, now) == found


def snapshot(status):
    return WatchSnapshot(
        turn_id="turn_1", actor_id=ActorId("agent:a"), status=status, last_seq=1,
        terminal=status in TERMINAL, subject_cancelled=False,
        task=Excerpt(event_id="evt_1", excerpt="x"),
    )  # fmt: skip


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("milestones", [(), (M.STEER,)], ids=["quiet", "news"])
def test_what_ends_a_watch(status, milestones):
    now = snapshot(status)
    assert ends_watch("terminal", now, milestones) is (status in TERMINAL)
    assert ends_watch("next_milestone", now, milestones) is (status in TERMINAL or bool(milestones))
    assert shown_of(now) == Shown(status=status, tools=())


def step(phase, call_id, **details):
    return {"nativeType": f"tool.{phase}", "toolCallId": call_id, "details": details}


@pytest.mark.parametrize(
    ("name", "kind", "seen"),
    [
        ("Bash", "execute", "Bash"),
        ("mcp__groupx__send", "other", "mcp__groupx__send"),
        ("Run `cat /etc/shadow`", "execute", "execute"),
        ("/etc/shadow", "read", "read"),
        ("sk-live secret", "other", "tool"),
        ("x" * (MAX_TOOL_CHARACTERS + 1), "other", "tool"),
        (None, None, "tool"),
    ],
)
def test_a_title_that_may_hold_arguments_is_not_shown(name, kind, seen):
    (glance,) = glances([step("started", "1", name=name, kind=kind, status="pending")])
    assert glance.name == seen


def test_a_call_is_one_glance_and_holds_nothing_else():
    steps = [
        step("started", "1", name="Read", status="pending", input="SECRET", paths=["SECRET"]),
        step("updated", "1", name="Read", status="in_progress", text="SECRET"),
        step("started", "2", name="Bash", status="pending"),
        step("completed", "1", name="Read", status="failed", text="SECRET"),
    ]
    assert to_wire(glances(steps)) == [
        {"toolCallId": "1", "name": "Read", "status": "failed", "open": False},
        {"toolCallId": "2", "name": "Bash", "status": "pending", "open": True},
    ]


@given(
    st.lists(
        st.builds(
            step,
            st.sampled_from(["started", "updated", "completed"]),
            st.one_of(st.none(), st.text(max_size=300)),
            name=st.text(max_size=300),
            kind=st.text(max_size=300),
            status=st.text(max_size=300),
        ),
        max_size=30,
    )
)
def test_any_tools_are_bounded(steps):
    found = glances(steps)
    assert len(found) <= MAX_TOOLS
    assert len({glance.key for glance in found}) == len(found)
    for glance in found:
        assert max(len(glance.name), len(glance.status)) <= MAX_TOOL_CHARACTERS
        assert len(glance.tool_call_id or "") <= 200
