"""Nothing of a program is left behind, whatever it does at its end."""

from groupx.domain.limits import Timeouts

from ..case import Case, Turn
from ..script import HANG, ends, says, turn
from .endings import COMPLETED, EXITED

CHILD = {"spawn": "child.pid"}
QUICK = {"timeouts": Timeouts(close=200)}
DONE = Turn(does=turn(CHILD, says("a"), ends()), expect=COMPLETED(text="a"))


CASES = (
    Case(name="close", turns=(Turn(does=turn(says("a"), ends())),), closes=True),
    Case(
        name="close_of_one_that_hangs",
        turns=(Turn(does=turn(says("a"), ends(), HANG), expect=COMPLETED(text="a", usable=None)),),
        closes=True,
        profile=QUICK,
    ),
    Case(name="grandchild_at_close", turns=(DONE,), closes=True, spawns=True),
    Case(name="grandchild_at_kill", turns=(DONE,), spawns=True),
    Case(
        name="grandchild_at_exit",
        turns=(Turn(does=turn(CHILD, says("a"), {"exit": 0}), expect=EXITED(text="a")),),
        spawns=True,
    ),
    Case(
        name="stdin_not_read",
        does={"start": ()},
        turns=(
            Turn(does=turn(says("a"), ends(), HANG), expect=COMPLETED(text="a", usable=None)),
            Turn(
                does=(),
                prompt="x" * 1_000_000,
                kill_at="sent",
                expect=EXITED(text="", delivered=False, returncode=-9),
            ),
        ),
    ),
)
