"""Cancel: early, mid-stream, in a tool, too late, ignored, asked twice; and close."""

import trio

from conformance.scenario import HANG
from conformance.stream_json_scenario import (
    BEGINS,
    INTERRUPTED,
    aborted,
    ends,
    lifecycle,
    message,
    says,
    state,
)
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    Exited,
)
from groupx.domain.limits import Timeouts

NEXT = [*BEGINS, message("n"), says("next"), *ends()]


async def next_prompt_works(rig):
    turn = await rig.prompt()
    return (turn.text, type(turn.end)) == ("next", Completed)


async def test_right_behind_the_message(scripted):
    async with scripted([INTERRUPTED, *BEGINS, *aborted()], NEXT) as rig:
        turn = await rig.cancelled()
        assert turn.end == Cancelled()
        assert [f["type"] for f in rig.frames[2:]] == ["user", "control_request"]
        assert await next_prompt_works(rig)


async def test_of_a_message_that_was_still_queued(scripted):
    queued = [state("running"), lifecycle("queued"), INTERRUPTED, lifecycle("cancelled")]
    async with scripted([*queued, state("idle")], NEXT) as rig:
        turn = await rig.cancelled()
        assert (turn.end, turn.starts) == (Cancelled(), 0)
        assert await next_prompt_works(rig)


async def test_a_result_without_a_reason_confirms_it(scripted):
    told = [*BEGINS, message(), says("a"), INTERRUPTED, *aborted("")]
    async with scripted(told) as rig:
        assert (await rig.cancelled(ContentDelta)).end == Cancelled()


class TestClose:
    async def test_in_a_turn(self, scripted):
        async with (
            scripted([*BEGINS, HANG], timeouts=Timeouts(close=200)) as rig,
            trio.open_nursery() as nursery,
        ):
            turn_end = []

            async def run():
                turn_end.append((await rig.prompt()).end)

            nursery.start_soon(run)
            while not rig.sent("user"):
                await trio.lowlevel.checkpoint()
            await rig.session.close()
        assert isinstance(turn_end[0], Exited)
