"""Tools: each opened first and closed once, whatever becomes of the turn."""

from ..case import Case, Turn
from ..script import CANCEL, closes, ends, fails, opens, says, turn
from .endings import CANCELLED, COMPLETED, EXITED, FAILED


def case(name, *steps, expect, **fields):
    return Case(name=name, turns=(Turn(does=turn(*steps), expect=expect, **fields),))


CASES = (
    case(
        "tool",
        says("I look. "),
        opens(),
        closes(),
        says("Done."),
        ends(),
        expect=COMPLETED(text="I look. Done.", tools={"call-1": "completed"}),
    ),
    case(
        "tool_fails",
        opens(),
        closes(failed=True),
        ends(),
        expect=COMPLETED(tools={"call-1": "failed"}),
    ),
    case(
        "tools_at_once",
        opens("call-1"),
        opens("call-2"),
        closes("call-2", failed=True),
        closes("call-1"),
        ends(),
        expect=COMPLETED(tools={"call-1": "completed", "call-2": "failed"}),
    ),
    case(
        "tool_closed_twice",
        opens(),
        closes(),
        closes(failed=True),
        ends(),
        expect=COMPLETED(tools={"call-1": "completed"}),
    ),
    case(
        "tool_output_is_bounded",
        opens(),
        closes(text="\x01" * 100_000),
        ends(),
        expect=COMPLETED(tools={"call-1": "completed"}),
    ),
    case("tool_left_open", opens(), ends(), expect=COMPLETED(tools={"call-1": "completed"})),
    case("tool_in_a_failed_turn", opens(), fails(), expect=FAILED(tools={"call-1": "failed"})),
    case(
        "tool_in_a_cancelled_turn",
        opens(),
        CANCEL,
        ends("cancelled"),
        expect=CANCELLED(tools={"call-1": "cancelled"}),
        cancel_at=("tool",),
    ),
    case("tool_at_the_exit", opens(), {"exit": 3}, expect=EXITED(tools={"call-1": "failed"})),
)
