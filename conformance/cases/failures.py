"""Turns that the program fails, and of what kind."""

from ..case import Case, Turn
from ..script import ends, fails, says, turn
from .endings import BROKEN, FAILED, LOGIN, QUOTA, REFUSED


def case(name, *steps, expect):
    return Case(name=name, turns=(Turn(does=steps, expect=expect),))


CASES = (
    case("failed", *turn(fails("error", "it broke")), expect=FAILED(text="", says="it broke")),
    case("failed_after_text", *turn(says("a"), fails()), expect=FAILED(text="a")),
    case("failed_first_of_all", fails(), expect=FAILED(text="")),
    case("login", *turn(fails("login", "who are you?")), expect=LOGIN(says="Log in")),
    case("login_after_text", *turn(says("a"), fails("login")), expect=LOGIN(text="a")),
    case("quota", *turn(fails("quota", "no more")), expect=QUOTA(says="no more")),
    case("refused", *turn(says("No."), ends("refused")), expect=REFUSED(text="No.")),
    case("session_forgotten", *turn(fails("forgotten")), expect=FAILED(usable=False)),
    case("ends_strangely", *turn(says("a"), ends("strangely")), expect=FAILED(text="a")),
    case("ends_mutely", *turn(says("a"), ends("mutely")), expect=BROKEN(text="a")),
)
