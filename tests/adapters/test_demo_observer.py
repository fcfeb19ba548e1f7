"""The demo agent as an observer: the words of a task decide, and it steers at most once."""

import pytest

from groupx.demo_agent.casting import scene_for
from groupx.demo_agent.room_tools import ToolRefused
from groupx.domain.ids import ActorId
from groupx.domain.roster import RosterEntry
from groupx.domain.supervision import PairedTurn, watch_brief

REVIEWER = RosterEntry(actor_id=ActorId("agent:reviewer"), adapter_id="demo")


class FakeTurn:
    """What an observer's scene can do; `watch` answers the snapshots in their order."""

    def __init__(self, task, statuses, steer_refusal=None):
        worker = PairedTurn(turn_id="turn_1", actor_id=ActorId("agent:builder"), role="worker")
        self.message = watch_brief([worker], [REVIEWER])
        self.said, self.used = "", []
        self._task, self._statuses, self._refusal = task, list(statuses), steer_refusal

    def say(self, text):
        self.said += text

    def use(self, tool, **arguments):
        self.used.append((tool, arguments))
        if tool == "steer":
            if self._refusal:
                raise ToolRefused(self._refusal, "no")
            return {"nextTurn": {"turnId": "turn_2"}}
        status = self._statuses.pop(0)
        seq = len(self.used)
        return {
            "snapshot": {
                "turnId": arguments["subjectTurnId"],
                "status": status,
                "terminal": status in ("completed", "cancelled"),
                "lastSeq": seq,
                "task": {"eventId": "e", "excerpt": self._task},
                "steerCount": 0,
            }
        }

    def played(self):
        scene_for(self.message)(self)
        return [arguments for tool, arguments in self.used if tool == "steer"]


@pytest.mark.parametrize(
    ("task", "action"),
    [
        ("Do it slowly.", "interrupt"),
        ("You go the wrong way", "nudge"),
        ("slow, and the wrong way", "interrupt"),
        ("do it", None),
        ("slower", None),
    ],
)
def test_the_task_decides(task, action):
    turn = FakeTurn(task, ["running", "running", "cancelled", "completed"])
    steers = turn.played()
    assert [steer["action"] for steer in steers] == ([action] if action else [])
    ends = [given["subjectTurnId"] for tool, given in turn.used if given.get("until") == "terminal"]
    assert ends == ["turn_1", "turn_1"] + (["turn_2"] if action else [])


def test_one_that_was_quicker_is_only_watched():
    turn = FakeTurn("slow", ["running", "completed"], steer_refusal="TARGET_NOT_RUNNING")
    turn.played()
    assert "ended before I could steer it" in turn.said
    with pytest.raises(ToolRefused):
        FakeTurn("slow", ["running"], steer_refusal="STEER_LIMIT_REACHED").played()


def test_patience_is_long_and_not_endless():
    turn = FakeTurn("do it", ["running"] * 100)
    turn.played()
    assert 50 < len(turn.used) < 64
