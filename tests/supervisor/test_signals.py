import os
import signal

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from groupx.supervisor.obeying import run_obeying
from groupx.supervisor.signals import GRACEFUL_SECONDS, HURRIED_SECONDS, obey_signals
from groupx.supervisor.tree import ChildSpec, Supervisor


class Calls(list):
    def __init__(self):
        super().__init__()
        self._told, self._heard = trio.open_memory_channel(10)

    def faces(self):
        return {
            "stop": lambda: self.tell("stop"),
            "hurry": lambda: self.tell("hurry"),
            "exit_hard": self.tell,
        }

    def tell(self, call):
        self.append(call)
        self._told.send_nowait(call)

    async def next(self):
        with trio.fail_after(5):
            return await self._heard.receive()


async def test_each_signal_does_its_part():
    calls = Calls()
    async with trio.open_nursery() as nursery:

        async def obey(task_status=trio.TASK_STATUS_IGNORED):
            await obey_signals(**calls.faces(), task_status=task_status)
            nursery.cancel_scope.cancel()

        await nursery.start(obey)
        for number, expected in (
            (signal.SIGTERM, "stop"),
            (signal.SIGINT, "hurry"),
            (signal.SIGINT, 128 + signal.SIGTERM),
        ):
            os.kill(os.getpid(), number)
            assert await calls.next() == expected


async def test_a_tree_that_does_not_go_is_hurried_and_then_left(autojump_clock):
    calls = Calls()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:

        async def obey(task_status=trio.TASK_STATUS_IGNORED):
            await obey_signals(**calls.faces(), task_status=task_status)

        await nursery.start(obey)
        os.kill(os.getpid(), signal.SIGINT)
    assert calls == ["stop", "hurry", 130]
    assert trio.current_time() - began == GRACEFUL_SECONDS + HURRIED_SECONDS


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_tree_ends_in_order_at_the_first_signal(number):
    events = []

    async def run(context):
        context.ready()
        events.append("ready")
        await context.stopping.wait()
        events.append("stops")

    tree = Supervisor([ChildSpec(name="a", run=run)])
    calls = Calls()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(interrupt_when_idle, number)
        assert await run_obeying(tree, stop=tree.stop, exit_hard=calls.append) is None
    assert events == ["ready", "stops"]
    assert calls == []
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


async def test_a_tree_that_fails_says_so_and_leaves_the_signals_as_they_were():
    async def run(context):
        context.ready()
        raise ValueError("broken")

    tree = Supervisor([ChildSpec(name="a", run=run, fatal=True)])
    failure = await run_obeying(tree, stop=tree.stop, exit_hard=os._exit)
    assert failure is not None
    assert (failure.name, str(failure.__cause__)) == ("a", "broken")
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


async def interrupt_when_idle(number):
    await wait_all_tasks_blocked()
    os.kill(os.getpid(), number)
