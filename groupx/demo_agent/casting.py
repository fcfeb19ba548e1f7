"""Which scene a message asks for."""

import re

from groupx.demo_agent.scenes import SCENES, Scene, greet
from groupx.demo_agent.teamwork import TEAMWORK
from groupx.demo_agent.watching import observe

OBSERVING = ((r"you are an observer of work", observe),)
"""How the brief of a watch turn begins."""


def scene_for(message: str) -> Scene:
    """What the agent does about `message`; no match greets."""
    for words, scene in (*OBSERVING, *TEAMWORK, *SCENES):
        if re.search(rf"\b(?:{words})\b", message, re.IGNORECASE):
            return scene
    return greet
