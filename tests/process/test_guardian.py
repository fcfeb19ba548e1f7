import os
import signal
import subprocess
import sys

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from groupx.process import guardian as guardian_module
from groupx.process.launch import launch
from groupx.process.proctable import read_process
from groupx.process.spawner import Spawner, SpawnError

pytestmark = pytest.mark.slow

DAEMON = """
import sys, trio
from groupx.process.spawner import Spawner

async def main():
    spawner = Spawner()
    await spawner.start()
    async with spawner.open(sys.argv[1:]) as child:
        print((await child.next_line()).decode(), spawner._guardian.pid, flush=True)
        await trio.sleep_forever()

trio.run(main)
"""

FAMILY = """
import subprocess
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
def fork(escape, **more):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        if escape: os.setsid()
        os.write(write, b"+")
        wait()
    os.read(read, 1)
    return pid
say(os.getpid(), fork(False), fork(True))
wait()
"""


async def test_a_killed_daemon_leaves_nobody(program, death):
    with subprocess.Popen(
        [sys.executable, "-c", DAEMON, *program(FAMILY)], stdout=subprocess.PIPE
    ) as daemon:
        assert daemon.stdout is not None
        line = await trio.to_thread.run_sync(daemon.stdout.readline)
        *family, guardian = (int(word) for word in line.split())
        assert len({os.getsid(pid) for pid in family}) == 2, "one of them escaped its session"
        daemon.kill()
    for pid in [*family, guardian]:
        await death(pid)


async def test_a_daemon_that_ends_in_order_leaves_nobody(program, death):
    async def run():
        spawner = Spawner()
        await spawner.start()
        async with spawner.open(program(FAMILY)) as child:
            line = await child.next_line()
            pids = [int(word) for word in line.split()]
        guardian = spawner._guardian.pid
        await spawner.aclose()
        return [*pids, guardian]

    for pid in await run():
        assert read_process(pid) is None


@pytest.fixture
def quick_respawn(monkeypatch):
    monkeypatch.setattr(guardian_module, "FIRST_BACKOFF", 0.01)


async def lose_guardian(spawner, death):
    """It is killed, and its keeper knows."""
    pid = spawner._guardian.pid
    os.kill(pid, signal.SIGKILL)
    await death(pid)
    await wait_all_tasks_blocked()


async def test_a_lost_guardian_comes_back_and_knows_the_trees(
    quick_respawn, spawner, program, death
):
    async with spawner.open(program("say(1); wait()")) as child:
        await child.next_line()
        first = spawner._guardian.pid
        await lose_guardian(spawner, death)
        await spawner._guardian.available(10)
        assert spawner._guardian.pid not in (first, None)
        assert read_process(first) is None
        # Its end of input is all the new one needs in order to end the tree.
        os.close(spawner._guardian._process.stdin)
        spawner._guardian._process = attrs.evolve(
            spawner._guardian._process, stdin=os.open(os.devnull, os.O_WRONLY)
        )
        with trio.fail_after(10):
            await child.exited.wait()
        assert child.returncode == -signal.SIGKILL


async def test_who_waits_for_a_guardian_is_woken_by_whichever_comes_up(spawner, death, monkeypatch):
    launched = []

    def launch_second(argv, **more):
        launched.append(argv)
        return launch(["/bin/false"] if len(launched) == 1 else argv, **more)

    monkeypatch.setattr(guardian_module, "FIRST_BACKOFF", 0.2)
    monkeypatch.setattr(guardian_module, "launch", launch_second)
    await lose_guardian(spawner, death)
    assert launched == []
    await spawner._guardian.available(5)
    assert len(launched) == 2


async def test_without_a_guardian_no_child_is_started(spawner, program, death, monkeypatch):
    monkeypatch.setattr("groupx.process.spawner.GUARDIAN_WAIT_SECONDS", 0.05)
    monkeypatch.setattr(guardian_module, "FIRST_BACKOFF", 30)
    await lose_guardian(spawner, death)
    assert spawner._guardian.pid is None
    with pytest.raises(SpawnError, match="guardian"):
        async with spawner.open(program("wait()")):
            pass


async def test_a_guardian_that_cannot_start_is_said_at_start(monkeypatch, open_files):
    before = open_files()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    spawner = Spawner()
    with pytest.raises(SpawnError, match="guardian"):
        await spawner.start()
    await spawner.aclose()
    assert open_files() == before


async def test_closed_means_closed(program):
    spawner = Spawner()
    await spawner.aclose()
    with pytest.raises(SpawnError):
        async with spawner.open(program("wait()")):
            pass
    await spawner.start()
    await spawner.aclose()
    with pytest.raises(SpawnError, match="stopping"):
        async with spawner.open(program("wait()")):
            pass


async def test_a_broken_service_ends_the_children_and_is_said(spawner, program, open_files):
    async def break_down():
        raise OSError("no more of anything")

    async with spawner.open(program("say(1); wait()")) as child:
        await child.next_line()
        spawner._services.start_soon(break_down)
        with trio.fail_after(20):
            assert await child.next_line() is None
            await child.exited.wait()
    assert child.returncode == -signal.SIGKILL
    assert read_process(child.pid) is None
    await spawner._down.wait()
    with pytest.raises(SpawnError, match="no more of anything"):
        async with spawner.open(program("wait()")):
            pass
