"""The program ends, or ends its output, at each phase of a turn."""

from ..case import Case, Turn
from ..script import HANG, opens, says, thinks, turn
from .endings import BROKEN, EXITED

PHASES = {
    "at_once": ((), False),
    "mid_stream": (turn(says("a")), True),
    "in_reasoning": (turn(thinks("a")), True),
    "in_a_tool": (turn(opens()), True),
}
WAYS = {
    "exit_0": (({"stderr": "bye\n"}, {"exit": 0}), {"returncode": 0}),
    "exit_3": (({"stderr": "bye\n"}, {"exit": 3}), {"returncode": 3}),
    "eof": (({"close": "stdout"}, HANG), {}),
}

CASES = (
    *(
        Case(
            name=f"{way}_{phase}",
            turns=(Turn(does=(*steps, *end), expect=EXITED(delivered=begun, **told)),),
        )
        for phase, (steps, begun) in PHASES.items()
        for way, (end, told) in WAYS.items()
    ),
    Case(
        name="unfinished_line",
        turns=(
            Turn(does=turn(says("a"), {"raw": '{"id":3,'}, {"exit": 0}), expect=BROKEN(text="a")),
        ),
    ),
)
