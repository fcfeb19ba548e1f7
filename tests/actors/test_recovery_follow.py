"""Recovery of a turn that its program, which outlived us, is still at work on."""

import pytest
import trio

from groupx.actors.pursuit import FORCED_SECONDS
from groupx.actors.recovery import RECOVERY_SECONDS
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    EventSink,
    Heartbeat,
    PastAttempt,
    Reconciled,
    Started,
)
from groupx.domain.attempts import Reconciliation
from groupx.domain.ids import ActorId
from groupx.domain.limits import Timeouts
from groupx.domain.roster import AgentState
from tests.actors.crashed import leave, next_run
from tests.actors.fakes import Room, open_room

A = ActorId("agent:a")
MATCHED = Reconciliation.MATCHED_TERMINAL
HOUR = 3_600


class Works:
    """A program that goes on for so long, with a sign of life every minute, unless it is told to
    stop and `obeys`, and then tells its end, unless it is `lost`."""

    def __init__(
        self,
        seconds: float,
        *,
        obeys: bool = True,
        silent: bool = False,
        lost: bool = False,
        says: str = "",
    ) -> None:
        self.seconds, self.obeys, self.silent = seconds, obeys, silent
        self.lost, self.says = lost, says

    async def __call__(self, attempt: PastAttempt, sink: EventSink) -> Reconciled:
        attempt.goes_on.set()
        sink(ContentDelta(self.says))
        until = trio.current_time() + self.seconds
        while (left := until - trio.current_time()) > 0:
            with trio.move_on_after(min(left, 60)):
                if self.obeys:
                    await attempt.stop.wait()
                    return Reconciled(MATCHED, Cancelled(), "n")
                await trio.sleep_forever()
            if not self.silent:
                sink(Heartbeat())
        if self.lost:
            return Reconciled(Reconciliation.UNAVAILABLE)
        sink(Started("n"))
        sink(ContentDelta("all of it"))
        return Reconciled(MATCHED, Completed(), "n")


async def followed(room: Room, works: Works, *, cancelling: bool = False) -> str:
    turn_id = await leave(room, A, begun=True, cancelling=cancelling, waiting=False)
    await next_run(room)
    room.programs[A].record = works
    room.nursery.start_soon(room.tree.run)
    state = AgentState.CANCELLING if cancelling else AgentState.WORKING
    await room.until(lambda: room.directory.view(A).state is state)
    return turn_id


def reconciliation(room: Room) -> str:
    [(found,)] = room.rows("SELECT reconciliation FROM turn_attempts")
    return found


async def test_it_is_followed_to_its_end(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(20 * RECOVERY_SECONDS))
        assert room.programs[A].sessions == []
        await room.ended(turn_id)
        assert trio.current_time() == pytest.approx(20 * RECOVERY_SECONDS, abs=1)
        assert room.turn(turn_id) == ("completed", None, "delivered")
        assert reconciliation(room) == "matched_terminal"
        [response] = [e for e in room.events("message.created") if e["actor"] == A]
        assert response["content"] == "all of it"


async def test_a_cancel_reaches_it(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(HOUR))
        await trio.sleep(100)
        await room.cancel(turn_id)
        await room.until(lambda: room.status(turn_id) != "cancelling")
        assert trio.current_time() == pytest.approx(100, abs=1)
        assert room.turn(turn_id) == ("cancelled", None, "delivered")
        assert room.events("turn.cancelled")[0]["reason"] == "user"


async def test_one_that_was_cancelled_before_is_stopped_at_once(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(HOUR), cancelling=True)
        await room.ended(turn_id)
        assert trio.current_time() < 1
        assert room.turn(turn_id) == ("cancelled", None, "delivered")


@pytest.mark.parametrize("how", ["by hand", "with the room"])
async def test_it_stops_with_its_agent(jumping_clock, tmp_path, how) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(HOUR))
        if how == "by hand":
            await room.control(A, "stop")
        else:
            room.tree.stop()
        await room.ended(turn_id)
        assert trio.current_time() < 5
        assert room.turn(turn_id) == ("cancelled", None, "delivered")
        assert room.events("turn.cancelled")[0]["reason"] == "runtime_stop"
        await room.until(lambda: room.directory.view(A).state is AgentState.STOPPED)
        assert room.programs[A].sessions == []


async def test_one_that_does_not_stop_is_given_up(jumping_clock, tmp_path) -> None:
    timeouts = Timeouts()
    async with open_room(tmp_path, "a", started=False, timeouts=timeouts) as room:
        works = Works(HOUR, obeys=False, says="more than half of it")
        turn_id = await followed(room, works)
        await room.cancel(turn_id)
        await room.ended(turn_id)
        bound = 2 * (timeouts.cancel + timeouts.request) / 1000
        assert trio.current_time() == pytest.approx(bound, abs=1)
        assert room.turn(turn_id) == ("interrupted", "TURN_INTERRUPTED", "delivered")
        assert reconciliation(room) == "matched_running"
        [event] = room.events("turn.interrupted")
        assert "told it to stop and did not hear that it did" in event["message"]
        [(partial,)] = room.rows("SELECT partial_text FROM turns WHERE turn_id = ?", turn_id)
        assert partial == "more than half of it"


async def test_one_that_can_no_longer_be_asked_was_found_all_the_same(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(60, lost=True))
        await room.ended(turn_id)
        assert room.turn(turn_id) == ("interrupted", "TURN_INTERRUPTED", "delivered")
        assert reconciliation(room) == "matched_running"
        [event] = room.events("turn.interrupted")
        assert "could not be asked any more" in event["message"]


async def test_by_force_it_has_a_moment_to_hear_of_it(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(HOUR, obeys=False))
        await trio.sleep(100)
        await room.cancel(turn_id, force=True)
        await room.ended(turn_id)
        assert trio.current_time() == pytest.approx(100 + FORCED_SECONDS, abs=0.5)
        assert room.turn(turn_id) == ("interrupted", "TURN_INTERRUPTED", "delivered")


async def test_silence_is_bounded_as_in_any_turn(jumping_clock, tmp_path) -> None:
    """It may have a tool open since before, so its silence is as long as a tool's may be."""
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(10 * HOUR, silent=True))
        await room.ended(turn_id)
        assert trio.current_time() == pytest.approx(Timeouts().open_tool / 1000, abs=1)
        assert room.turn(turn_id) == ("failed", "TURN_IDLE_TIMEOUT", "delivered")
        [event] = room.events("turn.failed")
        assert "fell silent" in event["message"]
        assert "does not send this again" in event["message"]


async def test_it_is_longer_than_any_silence(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        turn_id = await followed(room, Works(1.5 * HOUR))
        await room.ended(turn_id)
        assert room.turn(turn_id) == ("completed", None, "delivered")
