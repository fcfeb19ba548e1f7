import os
import signal
import threading

import pytest
import trio
import trio.testing

from groupx.process.fork_thread import ForkThread
from groupx.process.launch import Launched, launch

pytestmark = pytest.mark.slow


async def test_all_forks_come_from_one_thread_that_stays():
    forks = ForkThread()
    names = {await forks.run(threading.get_ident, lambda _: None) for _ in range(5)}
    assert len(names) == 1
    assert names != {threading.get_ident()}
    forks.close()


async def test_the_parent_death_signal_follows_that_thread(program):
    forks = ForkThread()
    launched = await forks.run(
        lambda: launch(program("wait()"), cwd=None, env=dict(os.environ)), Launched.discard
    )
    forks.close()
    with trio.fail_after(10):
        assert await launched.watch.wait() == -signal.SIGKILL
    launched.discard()


async def test_errors_reach_the_caller():
    forks = ForkThread()
    with pytest.raises(ZeroDivisionError):
        await forks.run(lambda: 1 // 0, lambda _: None)
    forks.close()


async def test_what_a_cancelled_caller_had_made_is_discarded():
    forks = ForkThread()
    go = threading.Event()
    discarded: list[str] = []
    gone = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def discard(thing: str) -> None:
        discarded.append(thing)
        token.run_sync_soon(gone.set)

    def make() -> str:
        go.wait(10)
        return "child"

    with trio.move_on_after(0.01) as scope:
        await forks.run(make, discard)
    assert scope.cancelled_caught
    go.set()
    with trio.fail_after(10):
        await gone.wait()
    assert discarded == ["child"]
    forks.close()


async def test_a_thread_that_hangs_is_left_and_what_waited_goes_on():
    forks = ForkThread()
    go = threading.Event()
    results: list[str] = []

    async def second() -> None:
        results.append(await forks.run(lambda: "second", lambda _: None))

    async with trio.open_nursery() as nursery:
        with trio.move_on_after(0.01):
            await forks.run(lambda: go.wait(10), lambda _: None)
        nursery.start_soon(second)
        await trio.testing.wait_all_tasks_blocked()
        assert results == []
        forks.renew()
        with trio.fail_after(10):
            assert await forks.run(lambda: "third", lambda _: None) == "third"
    assert results == ["second"]
    go.set()
    forks.close()


async def test_a_child_is_started_without_a_shell(spawner):
    async with spawner.open(["printf", "%s\\n", "$HOME; *"]) as child:
        assert await child.next_line() == b"$HOME; *"


def test_pipes_of_one_child_are_closed_to_the_next(program):
    children = [
        launch(program("say('up'); wait()"), cwd=None, env=dict(os.environ)) for _ in range(2)
    ]
    assert os.read(children[1].stdout, 3) == b"up\n", "exec is over"
    folder = f"/proc/{children[1].popen.pid}/fd"
    pipes = [
        link for fd in os.listdir(folder) if "pipe:" in (link := os.readlink(f"{folder}/{fd}"))
    ]
    assert len(pipes) == 3
    for child in children:
        child.discard()
