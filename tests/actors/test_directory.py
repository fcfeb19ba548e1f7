"""How every agent stands, as everybody sees it."""

import attrs
import pytest
import trio

from groupx.actors.directory import WELL
from groupx.actors.remembered_view import agent_view_from
from groupx.domain.errors import GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState, state_after
from groupx.domain.views import ContextView, ErrorView, LaneView, ProgramView
from groupx.domain.wire import to_wire
from tests.actors.fakes import open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


async def test_every_change_is_shown_once_and_since_follows_the_state(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b", started=False) as room:
        before = room.directory.view(A)
        await trio.sleep(5)
        shown = len(room.streamed("agent.changed"))
        room.directory.change(A, state=AgentState.IDLE)
        room.directory.change(A, state=AgentState.IDLE)
        changed = room.directory.change(A, paused=True)
        events = room.streamed("agent.changed")[shown:]
        assert [event["body"]["agent"]["state"] for event in events] == ["idle", "idle"]
        assert events[1]["body"]["agent"] == to_wire(changed)
        assert changed.since == room.directory.view(A).since != before.since
        assert [view.actor_id for view in room.directory.views()] == [A, B]
        with pytest.raises(GroupXError):
            room.directory.view(ActorId("agent:x"))


async def test_lane_counts_follow_the_ledger(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        turns = [turn for _ in range(3) for turn in await room.send(A)]
        prompt = await room.programs[A].next_prompt()
        await trio.sleep(0.05)
        lane = room.directory.view(A).lane
        assert (lane.active_turn_id, lane.queued) == (turns[0], 2)
        await room.cancel(turns[2])
        await trio.sleep(0.05)
        assert room.directory.view(A).lane.queued == 1
        prompt.answer()
        (await room.programs[A].next_prompt()).answer()
        await room.ended(*turns)
        await trio.sleep(0.05)
        assert room.directory.view(A).lane == LaneView()


async def test_a_working_agent_shows_each_step(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        (await room.programs[A].next_prompt()).answer()
        await room.ended(turn)
        states = [e["body"]["agent"]["state"] for e in room.streamed("agent.changed")]
        steps = [state for n, state in enumerate(states) if n == 0 or states[n - 1] != state]
        assert steps == ["recovering", "starting", "idle", "working", "idle"]
        phases = [e["body"]["phase"] for e in room.streamed("turn.progress")]
        assert phases == ["preparing", "sent", "working"]
        view = room.directory.view(A)
        assert view.program == ProgramView(name="fake", version="1")
        assert view.capabilities == {"cancel": "verified"}
        assert view.continuity == "new"
        assert view.instance_id


async def test_a_view_survives_being_remembered(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        full = attrs.evolve(
            room.directory.view(A),
            last_error=ErrorView(code="X", message="y"),
            context=ContextView(characters=5, max=9),
            program=ProgramView(name="p", version="1"),
            lane=LaneView(active_turn_id="turn_1", queued=2),
            instance_id="instance_1",
            continuity="new",
        )
        for view in (full, room.directory.view(A)):
            assert agent_view_from(to_wire(view)) == view


@pytest.mark.parametrize("state", AgentState)
def test_what_an_action_makes_of_a_state(state) -> None:
    assert state_after("restart", state) is AgentState.STARTING
    if state in (AgentState.STOPPED, AgentState.FAILED):
        assert state_after("start", state) is AgentState.STARTING
    else:
        assert state_after("start", state) is state
    in_a_turn = state in (AgentState.WORKING, AgentState.CANCELLING)
    assert state_after("stop", state) is (
        AgentState.CANCELLING if in_a_turn else AgentState.STOPPED
    )


@pytest.mark.parametrize("state", AgentState)
async def test_well_is_whoever_is_up_or_coming_up(jumping_clock, tmp_path, state) -> None:
    down = {AgentState.STOPPED, AgentState.FAILED, AgentState.PENDING_RESTART}
    async with open_room(tmp_path, "a", started=False) as room:
        room.directory.change(A, state=state)
        assert bool(room.directory.well()) == (state not in down)


async def test_every_step_of_a_start_is_well(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        (await room.programs[A].next_prompt()).answer()
        await room.ended(turn)
        steps = {e["body"]["agent"]["state"] for e in room.streamed("agent.changed")}
    assert "recovering" in steps
    assert steps <= WELL
