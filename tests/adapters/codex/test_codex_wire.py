"""Notifications that are not as they should be, and the end of the program among them."""

from conformance.app_server_scenario import BEGINS, ends, says
from groupx.adapters.contract import Completed, Exited


def turn(*steps):
    return {"turn/start": [list(steps)]}


PARAMS = [
    {"threadId": "thread-1"},
    {"threadId": "thread-1", "turnId": 7, "item": []},
    {"threadId": "thread-1", "turnId": "turn-1", "item": {"type": 5, "id": [], "changes": 1}},
    {"threadId": "thread-1", "turnId": "turn-1", "item": None, "delta": {}, "tokenUsage": []},
    {"threadId": "thread-1", "turn": "turn-1"},
    {},
]
METHODS = ["item/started", "item/completed", "item/agentMessage/delta", "thread/tokenUsage/updated"]


async def test_odd_notifications_end_nothing(app_server):
    odd = [
        {"send": {"method": method, "params": params}} for method in METHODS for params in PARAMS
    ]
    async with app_server(turn(*BEGINS, *odd, says("a"), ends())) as rig:
        done = await rig.prompt()
    assert (done.text, done.end) == ("a", Completed())


async def test_the_answer_to_the_start_is_no_evidence_of_it(app_server):
    async with app_server(turn({"turn": "answer"}, {"exit": 3})) as rig:
        done = await rig.prompt()
    assert (done.end, done.starts) == (Exited(returncode=3), 0)
