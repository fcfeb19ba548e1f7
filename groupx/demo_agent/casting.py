"""Which scene a message asks for."""

import re
from collections.abc import Iterable

from groupx.demo_agent.assisting import ASSISTING
from groupx.demo_agent.keeping import KEEPING
from groupx.demo_agent.scenes import SCENES, Scene, greet
from groupx.demo_agent.teamwork import TEAMWORK
from groupx.demo_agent.watching import observe

OBSERVING = ((r"you are an observer of work", observe),)
"""How the brief of a watch turn begins."""


def scene_for(message: str) -> Scene:
    """What the agent does about `message`; no match greets."""
    return _first((*OBSERVING, *KEEPING, *TEAMWORK, *SCENES), message)


def assistants_scene_for(message: str) -> Scene:
    """What it does about it as the room's assistant."""
    return _first((*ASSISTING, *SCENES), message)


def _first(rows: Iterable[tuple[str, Scene]], message: str) -> Scene:
    for words, scene in rows:
        if re.search(rf"\b(?:{words})\b", message, re.IGNORECASE):
            return scene
    return greet
