"""What real pipes carry: long lines, odd characters, garbage, floods."""

from ..case import Case, Turn
from ..script import HANG, asks, byte_by_byte, ends, says, turn
from .endings import ASKED, BROKEN, COMPLETED

ODD = "a\u2028b\u0085c\u2029d\r\x00\x1fe\ufeff早上好 🌄"
UNTRUSTED = {
    "text": "Segmentation fault\n",
    "list": "[1, 2]\n",
    "null": "null\n",
    "stranger": '{"hello": 1}\n',
    "not_utf_8": '{"a": "\udcff"}\n',
    "deep": "[" * 200_000 + "]" * 200_000 + "\n",
}


def answers(name, *steps, **expected):
    return Case(name=name, turns=(Turn(does=turn(*steps, ends()), expect=COMPLETED(**expected)),))


def broken(name, *steps, begun=True):
    turns = (Turn(does=(*steps, HANG), expect=BROKEN(delivered=begun)),)
    return Case(name=name, turns=turns)


CASES = (
    answers("line_of_70_kb", says("x" * 70_000), text="x" * 70_000),
    answers("line_of_1_mb", says("x" * 1_000_000), text="x" * 1_000_000),
    broken("line_of_20_mb", *turn(says("a"), {"raw": "x" * 1_000_000, "times": 20}, {"raw": "\n"})),
    answers("separators_are_data", says(ODD), text=ODD),
    answers("split_at_every_byte", byte_by_byte(says(ODD)), text=ODD),
    answers("lone_surrogates", says("a\ud800b 😀"), text="a\ufffdb 😀"),
    answers("empty_lines", {"raw": "\n\n  \n"}, says("a"), text="a"),
    answers(
        "stderr_flood", {"stderr": "warning: " * 100 + "\n", "times": 1000}, says("a"), text="a"
    ),
    *(
        broken(f"line_of_{name}", *turn(says("a"), {"raw": line}))
        for name, line in UNTRUSTED.items()
    ),
    *(
        broken(f"line_of_{name}_at_once", {"raw": line}, begun=False)
        for name, line in UNTRUSTED.items()
        if name != "deep"
    ),
    Case(
        name="asks_a_person_without_reading",
        turns=(
            Turn(
                does=turn(says("a"), *[asks("permission")] * 2000, HANG),
                expect=ASKED(text="a", usable=False),
            ),
        ),
    ),
    Case(
        name="asks_without_reading",
        turns=(
            Turn(does=turn(says("a"), *[asks("unknown")] * 2000, HANG), expect=BROKEN(text="a")),
        ),
    ),
)
