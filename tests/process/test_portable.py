"""The ways of systems without /proc and pidfd, as far as Linux can walk them."""

import os
import shutil
import signal

import pytest
import trio

from groupx.process import proctable, system, tree
from groupx.process.child import ChildProcess
from groupx.process.launch import launch
from groupx.process.proctable import processes, read_process

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("ps"), reason="ps is not installed"),
]


@pytest.fixture
def portable(monkeypatch):
    monkeypatch.setattr(proctable, "HAS_PROC", False)
    monkeypatch.setattr(system, "open_pidfd", lambda pid: None)
    monkeypatch.setattr(tree, "open_pidfd", lambda pid: None)


def test_ps_tells_the_same(portable, monkeypatch):
    by_ps = processes()
    monkeypatch.setattr(proctable, "HAS_PROC", True)
    row = read_process(os.getpid())
    assert row
    assert by_ps[os.getpid()]._replace(started="") == row._replace(started="")


async def test_a_tree_is_ended_without_proc_and_pidfd(portable, program, death):
    source = (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pid = os.fork()\n"
        "if pid == 0: wait()\n"
        "say(pid)\n"
        "wait()"
    )
    launched = launch(program(source), cwd=None, env=dict(os.environ))
    child = ChildProcess(launched, mark=b"NONE=0", write_seconds=1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(child.attend)
        line = await child.next_line()
        assert isinstance(line, bytes)
        with trio.fail_after(20):
            await child.stop(0.1)
            await child.exited.wait()
    assert child.returncode == -signal.SIGKILL
    assert child.survivors == ()
    await death(int(line))
    await child.aclose()
