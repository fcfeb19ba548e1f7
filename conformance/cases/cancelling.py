"""Cancel: when nothing runs, early, mid-stream, in a tool, too late, ignored, lost."""

from ..case import Case, Turn
from ..script import ANSWER, CANCEL, HANG, asks, ends, fails, opens, says, thinks, turn
from .endings import BROKEN, CANCELLED, COMPLETED, EXITED, FAILED, KILLED

ONCE = (1, 1)


def case(name, *steps, expect, at=("text",), **fields):
    turns = (Turn(does=turn(*steps), cancel_at=at, expect=expect, **fields),)
    return Case(name=name, turns=turns)


STOPS = (CANCEL, ends("cancelled"))
CASES = (
    case(
        "cancel_when_idle",
        says("a"),
        ends(),
        at=("idle",),
        expect=COMPLETED(text="a", cancels=(0, 0)),
    ),
    case("cancel_early", *STOPS, at=("sent",), expect=CANCELLED()),
    case(
        "cancel_mid_stream",
        says("a"),
        CANCEL,
        says("b"),
        ends("cancelled"),
        expect=CANCELLED(text="ab", cancels=ONCE),
    ),
    case(
        "cancel_in_reasoning",
        thinks("a"),
        *STOPS,
        at=("reasoning",),
        expect=CANCELLED(cancels=ONCE),
    ),
    case("cancel_in_a_tool", opens(), *STOPS, at=("tool",), expect=CANCELLED(cancels=ONCE)),
    case("cancel_twice", says("a"), *STOPS, at=("text", "text"), expect=CANCELLED()),
    case("cancel_too_late", says("a"), CANCEL, ends(), expect=COMPLETED(text="a")),
    case("cancel_failed", says("a"), CANCEL, fails(), expect=FAILED(text="a")),
    case("cancel_lost", says("a"), CANCEL, *STOPS, expect=CANCELLED(cancels=(2, 2))),
    case(
        "cancel_moots_a_question",
        says("a"),
        CANCEL,
        asks("permission"),
        ANSWER,
        ends("cancelled"),
        expect=CANCELLED(),
    ),
    case(
        "cancel_ignored",
        says("a"),
        CANCEL,
        says("b"),
        HANG,
        kill_at="more",
        expect=KILLED(text="ab", returncode=-9),
    ),
    case("cancel_then_exit", says("a"), CANCEL, {"exit": 0}, expect=EXITED(text="a", returncode=0)),
    case("cancel_then_eof", says("a"), CANCEL, {"close": "stdout"}, HANG, expect=EXITED(text="a")),
    case("cancel_then_garbage", says("a"), CANCEL, {"raw": "oh\n"}, HANG, expect=BROKEN(text="a")),
    Case(
        name="caller_cancelled",
        turns=(Turn(does=turn(says("a"), HANG), abandon_at="text", expect=EXITED(delivered=True)),),
    ),
    Case(
        name="cancel_again_and_again",
        turns=tuple(
            Turn(does=turn(says(word), *STOPS), cancel_at=("text",), expect=CANCELLED(text=word))
            for word in ("one", "two")
        ),
    ),
)
