"""What a demo agent does as an observer: it watches to the end, and steers once if it has cause."""

import re

from groupx.demo_agent.room_tools import ToolRefused
from groupx.demo_agent.turn import END_TURN, Turn
from groupx.demo_agent.wire import Json

WATCHES = 60
"""At most, of one turn: an observer is patient, not endless."""
_WORKERS = re.compile(r"^- (agent:\S+), turn (\S+)$", re.MULTILINE)
_CAUSES = (
    (r"slow|slowly", "interrupt", "It takes too long.", "Be brief: one sentence is enough."),
    (r"wrong way", "nudge", "It goes the wrong way.", "The other way, please."),
)
"""Words in a worker's task → how it is steered, why, and what it is told."""


def observe(turn: Turn) -> str:
    """Watch every worker of the brief, one after the other."""
    for worker, turn_id in _WORKERS.findall(turn.message):
        turn.say(f"I watch {worker}. ")
        _watch_worker(turn, turn_id)
    return END_TURN


def _watch_worker(turn: Turn, turn_id: str) -> None:
    look = turn.use("watch", subjectTurnId=turn_id, until="next_milestone", afterSeq=0)
    following = _steer(turn, look["snapshot"])
    for watched in filter(None, (turn_id, following)):
        last = _until_end(turn, watched)
        turn.say(f"Its turn is *{last['status']}*; steers of it: {last['steerCount']}.\n\n")


def _steer(turn: Turn, snapshot: Json) -> str | None:
    """The worker's next turn, if there was cause to steer it."""
    task = snapshot["task"]["excerpt"]
    causes = [it for it in _CAUSES if re.search(rf"\b(?:{it[0]})\b", task, re.IGNORECASE)]
    if not causes:
        return None
    _, action, reason, content = causes[0]
    try:
        steered = turn.use(
            "steer",
            subjectTurnId=snapshot["turnId"],
            action=action,
            reason=reason,
            content=content,
        )
    except ToolRefused as refused:
        if refused.code != "TARGET_NOT_RUNNING":
            raise
        turn.say("It has ended before I could steer it. ")
        return None
    turn.say(f"I steer it ({action}): {reason}\n\n")
    next_turn: str = steered["nextTurn"]["turnId"]
    return next_turn


def _until_end(turn: Turn, turn_id: str) -> Json:
    """How it stood when it had ended, or when patience was over."""
    snapshot: Json = {"lastSeq": 0, "terminal": False}
    watches = 0
    while not snapshot["terminal"] and watches < WATCHES:
        watches += 1
        look = turn.use(
            "watch", subjectTurnId=turn_id, until="terminal", afterSeq=snapshot["lastSeq"]
        )
        snapshot = look["snapshot"]
    return snapshot
