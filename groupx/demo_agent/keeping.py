"""What a demo agent keeps when it is told to remember something, and what it was told of that."""

import re

from groupx.demo_agent.packet import Told, remembered
from groupx.demo_agent.turn import END_TURN, Turn
from groupx.domain.text import excerpt

LINE_CHARACTERS = 160
_FOR_ITSELF = re.compile(r"for yourself\b[:,]?\s*(?:that\b)?\s*", re.IGNORECASE)
_OF_SOMEBODY = re.compile(r"of @?(\w[\w-]*)\s*[:,]?\s*(?:that\b)?\s*", re.IGNORECASE)


def _remember(turn: Turn) -> str:
    """For the room; `for yourself` for itself alone; `of` somebody as an observation."""
    what = re.split(r"\bremember\s+", turn.message, maxsplit=1, flags=re.IGNORECASE)[1].strip()
    own, about = _FOR_ITSELF.match(what), _OF_SOMEBODY.match(what)
    if own is not None:
        turn.use("core_memory_remember", content=what[own.end() :] or "Nothing yet.")
        turn.say("I keep it for myself: I am told it in every turn, and no other agent is.")
    elif about is not None:
        name, content = about[1].lower(), what[about.end() :] or "was to be remembered."
        turn.use("identity_remember", subject=name, content=f"{about[1]}: {content}")
        turn.say(f"I keep it as what I observed of {name}; others are told when they are asked.")
    else:
        content = re.sub(r"that\b[:,]?\s*", "", what, count=1, flags=re.IGNORECASE)
        turn.use("memory_remember", content=content or "Nothing yet.")
        turn.say("I keep it for the room: every agent is told it from now on.")
    return END_TURN


def _recall(turn: Turn) -> str:
    """What is remembered in the packet of this very turn, section by section."""
    told = remembered(turn.packet)
    if not told:
        turn.say("With this message I was told nothing that is remembered.")
        return END_TURN
    rows = "\n".join(f"| {it.section} | {it.source} | {_cell(it)} |" for it in told)
    turn.say(
        f"This is what I was told with your message:\n\n| from | by | what |\n|---|---|---|\n{rows}"
    )
    return END_TURN


def _cell(told: Told) -> str:
    return excerpt(" ".join(told.content.split()), LINE_CHARACTERS).replace("|", "\\|")


KEEPING = (
    (r"^\W*(?:please )?remember (?:that|for yourself|of @?\w[\w-]*)", _remember),
    (r"what do (?:you|we) (?:know|remember)", _recall),
)
"""Words in the current message → what happens; the first match wins."""
