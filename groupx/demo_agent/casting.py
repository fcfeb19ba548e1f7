"""Which scene a message asks for."""

import re

from groupx.demo_agent.scenes import SCENES, Scene, greet
from groupx.demo_agent.teamwork import TEAMWORK


def scene_for(message: str) -> Scene:
    """What the agent does about `message`; no match greets."""
    for words, scene in (*TEAMWORK, *SCENES):
        if re.search(rf"\b(?:{words})\b", message, re.IGNORECASE):
            return scene
    return greet
