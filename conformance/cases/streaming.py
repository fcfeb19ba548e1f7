"""What a turn reports while it goes well."""

from ..case import Case, Turn
from ..script import elsewhere, ends, notifies, says, tells, thinks, turn, uses
from .endings import COMPLETED

LONG = "段" * 200_000


def case(name, *steps, prompt="go", **expected):
    turns = (Turn(does=turn(*steps), prompt=prompt, expect=COMPLETED(**expected)),)
    return Case(name=name, turns=turns)


CASES = (
    case("stream", says("Hello "), says("you."), ends(), text="Hello you.", segments=1),
    case("empty_answer", ends(), text="", segments=0),
    case(
        "reasoning", thinks("hm "), thinks("so"), says("Yes"), ends(), text="Yes", reasoning="hm so"
    ),
    case("only_reasoning", thinks("hm"), ends(), text="", reasoning="hm"),
    case(
        "two_messages",
        says("One"),
        says(" more", "m1"),
        says("Two", "m2"),
        ends(),
        text="One moreTwo",
        segments=2,
    ),
    case("told_whole", tells("all of it"), ends(), text="all of it", segments=1),
    case(
        "text_exactly_once",
        says("all "),
        says("of"),
        tells("all of it"),
        ends(),
        text="all of it",
    ),
    case("usage", uses(42), says("a"), ends(), context=42),
    case("cut_short", says("half"), ends("cut_short"), text="half", stop_reason="max_tokens"),
    case("vendor_noise", notifies("queue"), says("a"), notifies("queue"), ends(), text="a"),
    case("elsewhere", elsewhere("not ours"), says("ours"), ends(), text="ours"),
    case("long_prompt", says("a"), ends(), prompt=LONG, text="a"),
    case("odd_prompt", says("a"), ends(), prompt="/x @y \u2028\r\n\x00 早 🌄", text="a"),
    case("surrogate_in_prompt", says("a"), ends(), prompt="a\ud800b", text="a"),
    Case(
        name="turn_after_turn",
        turns=tuple(
            Turn(
                does=turn(thinks(word), says(word), ends()),
                expect=COMPLETED(text=word, reasoning=word),
            )
            for word in ("one", "two", "three")
        ),
    ),
)
