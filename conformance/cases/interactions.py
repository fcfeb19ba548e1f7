"""Questions to a person: told no, and the turn stopped; what nobody knows is refused."""

from groupx.domain.limits import Timeouts

from ..case import Case, Turn
from ..script import ANSWER, CANCEL, HANG, asks, ends, fails, says, turn
from .endings import ASKED, COMPLETED

IMPATIENT = {"timeouts": Timeouts(cancel=200, close=1_000)}


def case(name, *steps, expect, **fields):
    return Case(name=name, turns=(Turn(does=turn(says("a"), *steps), expect=expect),), **fields)


CASES = (
    *(
        case(
            f"asks_{kind}",
            asks(kind, about),
            ANSWER,
            CANCEL,
            ends("cancelled"),
            expect=ASKED(kind=kind, says=about, cancels=(1, 1)),
        )
        for kind, about in (("permission", "rm -rf /"), ("elicitation", "Which one?"))
    ),
    case(
        "asks_and_insists", asks("permission"), HANG, expect=ASKED(usable=False), profile=IMPATIENT
    ),
    case("asks_and_ends", asks("permission"), ANSWER, ends(), expect=ASKED(usable=None)),
    case("asks_and_fails", asks("permission"), CANCEL, fails(), expect=ASKED(usable=None)),
    case("asks_and_exits", asks("permission"), {"exit": 0}, expect=ASKED(usable=False)),
    case(
        "asks_twice",
        asks("permission"),
        ANSWER,
        asks("elicitation"),
        ANSWER,
        CANCEL,
        ends("cancelled"),
        expect=ASKED(kind="permission"),
    ),
    case(
        "asks_what_nobody_knows",
        asks("unknown"),
        ANSWER,
        says("b"),
        ends(),
        expect=COMPLETED(text="ab"),
    ),
)
