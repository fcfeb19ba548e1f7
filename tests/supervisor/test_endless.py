import pytest
import trio

from groupx.supervisor.child import ChildContext
from groupx.supervisor.endless import until_stopping


async def test_it_is_ready_at_once_and_ends_when_asked(autojump_clock):
    ready = trio.Event()
    asked = ChildContext("child", ready.set)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(until_stopping(lambda: trio.sleep_forever), asked)
        await ready.wait()
        asked.stopping.set()


async def test_its_failure_is_the_childs(autojump_clock):
    async def fails():
        raise RuntimeError("broken")

    with pytest.RaisesGroup(RuntimeError):
        await until_stopping(lambda: fails)(ChildContext("child", lambda: None))


async def test_each_incarnation_finds_it_afresh(autojump_clock):
    found = []

    def find():
        found.append(len(found))
        return trio.sleep_forever

    for _ in range(2):
        asked = ChildContext("child", lambda: None)
        asked.stopping.set()
        await until_stopping(find)(asked)
    assert found == [0, 1]
