"""Ends of a turn: twice, late, first of all, never, and just before the program's own."""

from ..case import Case, Turn
from ..script import HANG, ends, fails, late, opens, says, turn, uses
from .endings import COMPLETED, EXITED

TWO = Turn(does=turn(says("two"), ends()), expect=COMPLETED(text="two"))


def one(*steps, **expected):
    return Turn(does=steps, expect=COMPLETED(**expected))


LATE = (says("late", "m2"), opens("late"), uses(7))
CASES = (
    Case(
        name="second_end",
        turns=(one(*turn(says("one"), ends(), fails(), *LATE), text="one"), TWO),
    ),
    Case(
        name="late_end_in_the_next_turn",
        turns=(
            one(*turn(says("one"), ends()), text="one"),
            one(late(), *turn(late(), says("two"), late(), ends()), text="two"),
        ),
    ),
    Case(name="end_first_of_all", turns=(one(ends(), text=""), TWO)),
    Case(
        name="all_before_the_start_is_answered",
        turns=(one(says("quick"), ends(), text="quick"), TWO),
    ),
    Case(
        name="no_end",
        turns=(
            Turn(
                does=turn(says("a"), HANG),
                kill_at="text",
                expect=EXITED(text="a", returncode=-9),
            ),
        ),
    ),
    Case(
        name="end_then_exit",
        turns=(
            one(*turn(says("a"), ends(), {"exit": 0}), text="a", usable=None),
            Turn(does=(), after_exit=True, expect=EXITED(delivered=False, text="")),
        ),
    ),
    Case(
        name="end_then_garbage",
        turns=(one(*turn(says("a"), ends(), {"raw": "oh\n"}, HANG), text="a", usable=None),),
    ),
)
