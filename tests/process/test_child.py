import os
import signal
import sys

import pytest
import trio
import trio.testing

from groupx.process.child import STDERR_BYTES, ChildGone
from groupx.process.framing import LineTooLong
from groupx.process.proctable import read_process
from groupx.process.spawner import SpawnError

pytestmark = pytest.mark.slow

STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
SETSID_GRANDCHILD = """
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.write(write, b"+")
    wait()
os.read(read, 1)
"""


@pytest.fixture(autouse=True)
async def bounded():
    with trio.fail_after(30):
        yield


async def words(child) -> list[int]:
    line = await child.next_line()
    assert isinstance(line, bytes), child.stderr_excerpt(2000)
    return [int(word) for word in line.split()]


async def test_echo_then_a_polite_end(spawner, program):
    async with spawner.open(program("for line in sys.stdin: say(line.strip()[::-1])")) as child:
        await child.write(b"abc\n")
        assert await child.next_line() == b"cba"
        await child.stop(10)
        assert child.returncode == 0
        assert await child.next_line() is None
        assert await child.next_line() is None


async def test_it_leads_a_session_and_inherits_nothing_but_its_pipes(spawner, program, tmp_path):
    source = (
        "say(os.getpid(), os.getsid(0), os.getpgid(0), os.getppid())\n"
        "say(*sorted(int(fd) for fd in os.listdir('/proc/self/fd')))\n"
        "say(os.getcwd(), 'GROUPX_TOKEN' in os.environ, os.environ['GROUPX_RUN'])"
    )
    with open(tmp_path / "held", "w") as held:
        os.set_inheritable(held.fileno(), True)
        env = {"PATH": os.defpath}
        async with spawner.open(program(source), cwd=str(tmp_path), env=env) as child:
            assert await words(child) == [child.pid] * 3 + [os.getpid()]
            fds = await words(child)
            assert fds[:3] == [0, 1, 2]
            assert held.fileno() not in fds
            assert await child.next_line() == f"{tmp_path} False {spawner.run_id}.1".encode()


async def test_a_quick_end_keeps_all_output_and_the_code(spawner, program):
    source = "say('last'); sys.stdout.write('unfinished'); sys.stderr.write('why'); sys.exit(3)"
    for _ in range(5):
        async with spawner.open(program(source)) as child:
            await child.exited.wait()
            assert child.returncode == 3
            assert child.stderr_excerpt(100) == "why"
            assert child.stderr_excerpt(2) == "hy"
            assert [await child.next_line() for _ in range(3)] == [b"last", b"unfinished", None]
            with pytest.raises(ChildGone):
                await child.write(b"too late\n")


async def test_deaf_to_eof_and_sigterm_with_a_grandchild_of_its_own_session(
    spawner, program, is_gone, open_files
):
    before = open_files()
    source = (
        STUBBORN
        + """
import os
read, write = os.pipe()
middle = os.fork()
if middle == 0:
    last = os.fork()
    if last == 0:
        os.setsid()
        os.write(write, str(os.getpid()).encode())
        wait()
    os._exit(0)   # the grandchild is an orphan now
os.waitpid(middle, 0)
say(os.getpid(), os.read(read, 20).decode())
wait()
"""
    )
    async with spawner.open(program(source)) as child:
        pid, orphan = await words(child)
        row = read_process(orphan)
        assert row is not None
        assert row.session == orphan
        assert row.parent == os.getpid(), "the orphan is ours to reap"
        await child.stop(0.2)
        assert child.returncode == -signal.SIGKILL
        assert is_gone(pid)
        assert is_gone(orphan)
        assert child.survivors == ()
    assert open_files() == before


async def test_sigterm_is_tried_before_sigkill(spawner, program):
    source = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nsay(1)\nwait()"
    async with spawner.open(program(source)) as child:
        await words(child)
        await child.stop(2)
        assert child.returncode == 7


async def test_leaving_ends_the_tree_and_the_callers_error_arrives_bare(spawner, program, is_gone):
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with spawner.open(program(STUBBORN + "say(os.getpid()); wait()")) as child:
            await words(child)
            raise ZeroDivisionError
    assert child.returncode == -signal.SIGKILL
    assert is_gone(child.pid)


async def test_cancelling_ends_the_tree(spawner, program, is_gone):
    with trio.CancelScope() as scope:
        async with spawner.open(program(STUBBORN + "say(os.getpid()); wait()")) as child:
            await words(child)
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert is_gone(child.pid)


async def test_a_grandchild_that_holds_stdout_does_not_hold_us(spawner, program, is_gone):
    source = SETSID_GRANDCHILD + "say(os.getpid())"
    async with spawner.open(program(source)) as child:
        await words(child)
        assert await child.next_line() is None
        await child.exited.wait()
        assert child.returncode == 0


async def test_a_stranger_that_holds_stdout_does_not_hold_us(spawner, program):
    """The grandchild threw its mark away and escaped by every means: it can only be outlived."""
    source = f"""
import subprocess
if os.fork() == 0:
    os.setsid()
    os.execve({sys.executable!r}, ["x", "-I", "-S", "-c",
        "import os, signal; print(os.getpid(), flush=True); signal.pause()"], {{}})
sys.stdin.readline()
"""
    async with spawner.open(program(source)) as child:
        (stranger,) = await words(child)
        child_end = os.pidfd_open(child.pid)
        os.kill(child.pid, signal.SIGKILL)
        await trio.lowlevel.wait_readable(child_end)
        os.close(child_end)
        assert await child.next_line() is None
        await child.exited.wait()
    os.kill(stranger, signal.SIGKILL)
    os.waitpid(stranger, 0)


async def test_a_flood_on_stderr_blocks_nobody(spawner, program):
    source = (
        "for n in range(20000): sys.stderr.write(f'{n} '.ljust(100, 'x') + '\\n')\n"
        "sys.stderr.write('the end'); say(1); sys.stdin.read()"
    )
    async with spawner.open(program(source)) as child:
        await words(child)
        await child.stop(10)
        assert child.returncode == 0
        assert child.stderr_excerpt(7) == "the end"
        assert len(child.stderr_excerpt(10**9)) == STDERR_BYTES


async def test_a_child_that_does_not_read_is_ended(spawner, program, is_gone):
    async with spawner.open(program("wait()"), write_seconds=0.2) as child:
        with pytest.raises(ChildGone, match="did not read"):
            await child.write(b"x" * 1_000_000)
        await child.exited.wait()
        assert child.returncode == -signal.SIGKILL
        with pytest.raises(ChildGone):
            await child.write(b"more\n")


async def test_a_frame_cut_by_a_cancel_ends_the_child(spawner, program):
    async with spawner.open(program("wait()")) as child:
        with trio.move_on_after(0.05) as cut:
            await child.write(b"x" * 1_000_000)
        assert cut.cancelled_caught
        await child.exited.wait()
        assert child.returncode == -signal.SIGKILL


async def test_a_cancel_before_the_first_byte_harms_nothing(spawner, program):
    async with spawner.open(program("for line in sys.stdin: say(line.strip())")) as child:
        with trio.CancelScope() as scope:
            scope.cancel()
            await child.write(b"never\n")
        await child.write(b"1\n")
        assert await words(child) == [1]


async def test_frames_of_many_writers_stay_whole(spawner, program):
    frames = [bytes([letter]) * 200_000 + b"\n" for letter in b"abcdef"]
    async with spawner.open(program("for line in sys.stdin: say(len(set(line)))")) as child:

        async def write_all():
            async with trio.open_nursery() as nursery:
                for frame in frames:
                    nursery.start_soon(child.write, frame)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write_all)
            for _ in frames:
                assert await words(child) == [2]


async def test_stop_releases_a_writer(spawner, program):
    async with spawner.open(program("wait()")) as child:
        outcome: list[str] = []

        async def write():
            try:
                await child.write(b"x" * 1_000_000)
            except ChildGone as gone:
                outcome.append(str(gone))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            await trio.testing.wait_all_tasks_blocked(0.02)
            await child.stop(0.1)
        assert outcome == ["its stdin was closed"]


@pytest.mark.parametrize("size", [70_000, 1_000_000, 20_000_000])
async def test_long_lines(spawner, program, size):
    async with spawner.open(program(f"say('x' * {size}); say(1); wait()")) as child:
        line = await child.next_line()
        assert line == (b"x" * size if size < 16 * 1024 * 1024 else LineTooLong(size))
        assert await words(child) == [1]


async def test_next_line_may_be_cancelled_and_loses_nothing(spawner, program):
    source = "say('a' * 100000 + 'b')\nfor line in sys.stdin: say(line.strip())"
    async with spawner.open(program(source)) as child:
        line = None
        tries = 0
        while line is None:
            tries += 1
            with trio.move_on_after(0.001 * tries):
                line = await child.next_line()
        assert line == b"a" * 100000 + b"b"
        with trio.move_on_after(0.01):
            await child.next_line()
        await child.write(b"5\n")
        assert await words(child) == [5]


async def test_why_a_program_was_not_started(spawner, program, tmp_path, open_files):
    before = open_files()
    file = tmp_path / "plain"
    file.write_text("no")
    cases = [
        (["/no/such/program"], None, "no such program", True),
        (["no-such-program-in-path"], None, "no such program", True),
        ([sys.executable], "/no/such/folder", "folder /no/such/folder does not exist", True),
        ([sys.executable], str(file), f"folder {file} is no folder", True),
        ([str(file)], None, "may not be executed", False),
        (["a\0b"], None, "null byte", False),
    ]
    for argv, cwd, reason, not_found in cases:
        with pytest.raises(SpawnError, match=reason) as refused:
            async with spawner.open(argv, cwd=cwd):
                pass
        assert refused.value.not_found == not_found
    assert open_files() == before


async def test_many_at_once_leave_nothing(spawner, program, is_gone, open_files):
    before = open_files()
    pids: list[int] = []

    async def one(number: int) -> None:
        async with spawner.open(program(SETSID_GRANDCHILD + "say(os.getpid()); wait()")) as child:
            pids.extend(await words(child))
            if number % 2:
                await child.stop(0.1)

    async with trio.open_nursery() as nursery:
        for number in range(12):
            nursery.start_soon(one, number)
    assert len(set(pids)) == 12
    assert all(is_gone(pid) for pid in pids)
    assert open_files() == before
