"""Silence is the program's, not that of a daemon which stood still."""

import pytest
import trio
from trio.testing import MockClock

from groupx.actors.silence import Silence
from groupx.domain.limits import Timeouts


async def silence_is_over(silence: Silence, over: trio.Event) -> None:
    await silence.too_long()
    over.set()


@pytest.mark.parametrize(("jump", "ends"), [(3.5, True), (9.0, False)])
async def test_a_daemon_that_stood_still_counts_anew(
    mock_clock: MockClock, jump: float, ends: bool
) -> None:
    silence = Silence(Timeouts(first_event=3_000), lambda: False)
    over = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(silence_is_over, silence, over)
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(jump)  # as after a SIGSTOP: the deadline and long after it, at once
        await trio.testing.wait_all_tasks_blocked()
        assert over.is_set() == ends
        if not ends:
            mock_clock.jump(3.5)
            await trio.testing.wait_all_tasks_blocked()
            assert over.is_set()
