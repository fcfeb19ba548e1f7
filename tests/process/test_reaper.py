import os
import subprocess
import sys

import pytest
import trio
from trio.testing import MockClock

from groupx.process import reaper as reaper_module
from groupx.process.proctable import read_process
from groupx.process.reaper import Reaper
from groupx.process.system import adopt_orphans

pytestmark = pytest.mark.slow

MAKE_ORPHAN = """
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.setsid()
    say(os.getpid())
    os.write(write, b"+")
    os.read(0, 1)       # until our stdin ends
    os._exit(0)
os.read(read, 1)
"""


class Watched(Reaper):
    """Tells when it has looked."""

    looked = trio.Event()

    def look(self):
        super().look()
        looked, self.looked = self.looked, trio.Event()
        looked.set()


async def test_orphans_are_reaped_and_others_children_are_not(program, death, monkeypatch):
    adopt_orphans()
    monkeypatch.setattr(reaper_module, "OWNER_SECONDS", 0.1)
    owned: set[int] = set()
    reaper = Watched(owned)
    async with trio.open_nursery() as nursery:
        await nursery.start(reaper.run)
        theirs = subprocess.Popen([sys.executable, "-I", "-S", "-c", "raise SystemExit(4)"])
        ours = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "raise SystemExit(5)"], start_new_session=True
        )
        owned.add(ours.pid)
        parent = subprocess.Popen(
            program(MAKE_ORPHAN),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert parent.stdin
        assert parent.stdout
        orphan = int(await trio.to_thread.run_sync(parent.stdout.readline))
        parent.wait()
        row = read_process(orphan)
        assert row
        assert row.parent == os.getpid()
        parent.stdin.close()
        parent.stdout.close()
        with trio.fail_after(10):
            while read_process(orphan):
                await reaper.looked.wait()
        await death(theirs.pid)
        await death(ours.pid)
        monkeypatch.setattr(reaper_module, "OWNER_SECONDS", 0)
        reaper.look()
        assert theirs.wait() == 4
        assert ours.wait() == 5
        code = (await trio.run_process([sys.executable, "-c", "exit(6)"], check=False)).returncode
        assert code == 6
        nursery.cancel_scope.cancel()


def test_a_stranger_is_left_alone_until_it_is_sure_that_nobody_owns_it(monkeypatch):
    clock = MockClock()
    mine = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""], start_new_session=True)
    os.waitid(os.P_PID, mine.pid, os.WEXITED | os.WNOWAIT)

    async def main():
        reaper = Reaper(())
        reaper.look()
        clock.jump(reaper_module.OWNER_SECONDS - 0.1)
        reaper.look()
        assert read_process(mine.pid)
        clock.jump(0.2)
        reaper.look()
        assert read_process(mine.pid) is None

    trio.run(main, clock=clock)
    assert mine.wait() == 0
