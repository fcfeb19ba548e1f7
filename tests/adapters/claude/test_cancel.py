"""Cancel: early, mid-stream, in a tool, too late, ignored, asked twice; and close."""

import trio

from conformance.scenario import HANG
from conformance.stream_json_scenario import (
    BEGINS,
    INTERRUPTED,
    aborted,
    calls,
    ends,
    lifecycle,
    message,
    returns,
    says,
    state,
)
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    Exited,
    Heartbeat,
    ToolUpdate,
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


async def test_mid_stream(scripted):
    told = [*BEGINS, message(), says("a"), INTERRUPTED, says("b"), *aborted()]
    async with scripted(told, NEXT) as rig:
        turn = await rig.cancelled(ContentDelta)
        assert (turn.text, turn.end) == ("ab", Cancelled())
        assert await next_prompt_works(rig)


async def test_in_a_tool(scripted):
    stopped = returns("The user doesn't want to proceed", is_error=True)
    told = [*BEGINS, message(), *calls(command="x"), INTERRUPTED, stopped]
    async with scripted([*told, *aborted("aborted_tools")], NEXT) as rig:
        turn = await rig.cancelled(ToolUpdate)
        assert turn.end == Cancelled()
        assert turn.tools[-1].phase == "completed"
        assert await next_prompt_works(rig)


async def test_while_the_model_is_asked_again_and_again(scripted):
    async with scripted([*BEGINS, INTERRUPTED, *aborted()], NEXT) as rig:
        turn = await rig.cancelled(Heartbeat)
        assert turn.end == Cancelled()
        assert await next_prompt_works(rig)


async def test_too_late(scripted):
    told = [*BEGINS, message(), says("a"), INTERRUPTED, *ends()]
    async with scripted(told, NEXT) as rig:
        turn = await rig.cancelled(ContentDelta)
        assert isinstance(turn.end, Completed)
        assert await next_prompt_works(rig)


async def test_after_the_end_nothing_is_sent(scripted):
    async with scripted([*BEGINS, message(), *ends()]) as rig:
        await rig.prompt()
        await rig.session.cancel()
        assert rig.sent("interrupt") == []


async def test_asked_again(scripted):
    told = [*BEGINS, message(), says("a"), INTERRUPTED, INTERRUPTED, *aborted()]
    async with scripted(told, NEXT) as rig:
        async with trio.open_nursery() as nursery:
            ends_ = []

            async def run():
                ends_.append(await rig.cancelled(ContentDelta))

            nursery.start_soon(run)
            while not rig.sent("interrupt"):
                await trio.lowlevel.checkpoint()
            await rig.session.cancel()
        assert ends_[0].end == Cancelled()
        assert await next_prompt_works(rig)


async def test_a_result_without_a_reason_confirms_it(scripted):
    told = [*BEGINS, message(), says("a"), INTERRUPTED, *aborted("")]
    async with scripted(told) as rig:
        assert (await rig.cancelled(ContentDelta)).end == Cancelled()


async def test_ignored_until_it_is_killed(scripted):
    async with scripted([*BEGINS, message(), says("a"), INTERRUPTED, HANG]) as rig:
        async with trio.open_nursery() as nursery:
            seen = []

            async def run():
                seen.append(await rig.cancelled(ContentDelta))

            nursery.start_soon(run)
            while not rig.sent("interrupt"):
                await trio.lowlevel.checkpoint()
            rig.session.kill()
        assert isinstance(seen[0].end, Exited)
        assert not rig.session.usable


async def test_a_caller_that_is_cancelled_leaves_nothing_to_use(scripted):
    async with scripted([*BEGINS, HANG]) as rig:
        with trio.CancelScope() as scope:
            await rig.session.prompt("go", lambda event: scope.cancel())
        assert scope.cancelled_caught
        assert not rig.session.usable


class TestClose:
    async def test_at_the_end_of_input_it_ends(self, scripted):
        async with scripted() as rig:
            await rig.session.close()
            await rig.session.closed.wait()

    async def test_one_that_waits_for_its_shell_is_ended(self, scripted):
        told = [*BEGINS, message(), *ends(), HANG]
        async with scripted(told, timeouts=Timeouts(close=200)) as rig:
            await rig.prompt()
            await rig.session.close()
            await rig.session.closed.wait()

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
