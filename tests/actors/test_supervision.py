"""A pair at work: an observer waits for milestones, steers, and is told of the user's cancel."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from groupx.actors.event_hub import EventHubActor
from groupx.actors.messages import MemberSend, Observe, SendMessage, SteerTurn
from groupx.actors.watching import watch
from groupx.adapters.contract import Completed, ContentDelta, Started, ToolUpdate
from groupx.domain.canonical import command_hash
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.domain.supervision import Supervision
from groupx.domain.watching import Milestone, Until, Watched, WatchQuery
from tests.actors.fakes import FakePrompt, Room, open_room

A, B, C = ActorId("agent:a"), ActorId("agent:b"), ActorId("agent:c")


class Pair:
    """A was prompted with the task and has begun, B with the brief."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.worker: FakePrompt
        self.observer: FakePrompt
        self.task = SendMessage(
            client_command_id="task", to=(A,), content="the task",
            supervision=Supervision(observers=(B,)),
        )  # fmt: skip

    async def begin(self) -> None:
        accepted = await self.room.broker.ref.ask(self.task)
        assert accepted.watch_turns is not None
        self.subject = accepted.turns[0].turn_id
        self.watch_turn = accepted.watch_turns[0].turn_id
        self.worker = await self.room.programs[A].next_prompt()
        self.observer = await self.room.programs[B].next_prompt()
        for prompt, turn in ((self.worker, self.subject), (self.observer, self.watch_turn)):
            prompt.emit(Started("n"))
            await self.room.until(lambda turn=turn: self.room.status(turn) == "running")

    @property
    def caller(self) -> dict[str, Any]:
        """Who an observer's commands come from."""
        [(binding,)] = self.room.rows(
            "SELECT binding_id FROM session_bindings WHERE actor_id = ? AND closed_at IS NULL", B
        )
        return {"binding_id": binding, "actor_id": B, "parent_turn_id": self.watch_turn}

    async def watch(self, until: Until = "next_milestone", **query: Any) -> Watched:
        """As the tool does: wait, then keep what is returned."""
        looked = await watch(
            self.room.store, self.room.hub,
            WatchQuery(watch_turn_id=self.watch_turn, actor_id=B, **query), until, 50,
        )  # fmt: skip
        await self.room.broker.ref.ask(
            Observe(
                **self.caller, until=until, timed_out=looked.timed_out, snapshot=looked.snapshot
            )
        )
        return looked

    async def steer(self, action: Any = "nudge", **changes: Any) -> Any:
        fields = {"reason": "drift", "content": "stay on it", "action": action}
        return await self.room.broker.ref.ask(SteerTurn(**(self.caller | fields | changes)))


@asynccontextmanager
async def working(path: Path, limits: Limits | None = None) -> AsyncIterator[Pair]:
    async with open_room(path, "a", "b", "c", limits=limits) as room:
        room.nursery.start_soon(EventHubActor(room.hub).run)
        pair = Pair(room)
        await pair.begin()
        yield pair
        for prompt in (pair.worker, pair.observer):
            prompt.finish(Completed())


async def after(seconds: float, act: Any) -> None:
    await trio.sleep(seconds)
    act()


def tool(phase: Any, call_id: str = "1", **changes: Any) -> ToolUpdate:
    status = {"started": "in_progress", "updated": "in_progress", "completed": "completed"}[phase]
    fields = {"name": "Bash", "kind": "execute", "details": {"input": "SECRET"}}
    return ToolUpdate(phase=phase, tool_call_id=call_id, status=status, **(fields | changes))


async def test_an_observers_prompt_is_the_brief_and_not_the_task(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair:
        assert "[supervision_watch " in pair.observer.text
        assert "[supervision_watch " not in pair.worker.text
        assert pair.observer.source != pair.worker.source
        stored = dict(pair.room.rows("SELECT command_type, canonical_hash FROM client_commands"))
        asked = {
            "to": [A], "content": "the task",
            "supervision": {"observers": [B], "mode": "live_steer"},
        }  # fmt: skip
        assert stored["message.send"] == command_hash("message.send", asked)


async def test_tools_are_milestones_by_name_and_status_alone(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair, trio.open_nursery() as nursery:
        nursery.start_soon(after, 5, lambda: pair.worker.emit(tool("started")))
        nursery.start_soon(after, 8, lambda: pair.worker.emit(tool("updated")))
        nursery.start_soon(after, 9, lambda: pair.worker.emit(tool("completed")))
        begun = trio.current_time()
        first = await pair.watch()
        assert first.milestones == (Milestone.TOOL_OPENED,)
        [glance] = first.snapshot.tools
        assert (glance.name, glance.status, glance.open) == ("Bash", "in_progress", True)
        assert 5 < trio.current_time() - begun + 0.001 < 6
        second = await pair.watch(after_seq=first.snapshot.last_seq)
        assert second.milestones == (Milestone.TOOL_CLOSED,)
        assert 9 < trio.current_time() - begun + 0.001 < 10
        assert "SECRET" not in str((first, second, pair.room.events("supervision.observed")))


async def test_what_happened_between_two_watches_is_not_missed(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair:
        pair.worker.emit(tool("started"))
        with trio.fail_after(60):
            first = await pair.watch()
        assert first.timed_out, "from now on, without a cursor"
        pair.worker.emit(tool("completed"), tool("started", "2"))
        begun = trio.current_time()
        second = await pair.watch(after_seq=first.snapshot.last_seq)
        assert second.milestones == (Milestone.TOOL_CLOSED, Milestone.TOOL_OPENED)
        assert trio.current_time() == begun


async def test_words_alone_wake_nobody_until_the_time_is_over(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair, trio.open_nursery() as nursery:
        for second in range(1, 60, 7):
            nursery.start_soon(after, second, lambda: pair.worker.emit(ContentDelta("so … ")))
        begun = trio.current_time()
        looked = await pair.watch()
        assert (looked.timed_out, looked.milestones) == (True, ())
        assert trio.current_time() - begun == pytest.approx(50)
        [kept] = pair.room.events("supervision.observed")
        assert kept["timedOut"] is True
        nursery.cancel_scope.cancel()


async def test_the_end_is_waited_for_past_every_milestone(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair, trio.open_nursery() as nursery:
        nursery.start_soon(after, 1, lambda: pair.worker.emit(tool("started")))
        nursery.start_soon(after, 30, lambda: pair.worker.answer("all done"))
        looked = await pair.watch("terminal")
        assert looked.snapshot.terminal
        assert Milestone.TERMINAL in looked.milestones
        assert looked.snapshot.messages[-1].excerpt == "all done"
        again = await pair.watch(after_seq=looked.snapshot.last_seq)
        assert again.snapshot.terminal, "an ended turn is answered at once"
        assert not again.timed_out


async def test_a_watcher_is_told_when_the_user_cancels(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair, trio.open_nursery() as nursery:
        pair.room.programs[A].confirms_cancel = False
        nursery.start_soon(pair.room.cancel, pair.subject)
        looked = await pair.watch()
        assert Milestone.CANCELLED in looked.milestones
        assert looked.snapshot.subject_cancelled
        assert not pair.room.events("supervision.steered"), "nothing is steered by itself"


async def test_an_interrupt_stops_the_turn_and_the_worker_gets_the_guidance(
    jumping_clock, tmp_path
) -> None:
    async with working(tmp_path) as pair:
        steered = await pair.steer("interrupt")
        following = await pair.room.programs[A].next_prompt()
        assert pair.worker.cancels == 1
        assert pair.room.status(pair.subject) == "cancelled"
        assert "stay on it" in following.text
        assert "drift" not in following.text
        following.answer()
        await pair.room.until(lambda: pair.room.status(steered.next_turn.turn_id) == "completed")
        looked = await pair.watch(subject_turn_id=pair.subject)
        assert not looked.snapshot.subject_cancelled
        assert looked.snapshot.steer_count == 1


async def test_a_nudge_waits_its_turn(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair:
        steered = await pair.steer()
        assert pair.worker.cancels == 0
        assert pair.room.status(steered.next_turn.turn_id) == "queued"
        pair.worker.answer()
        following = await pair.room.programs[A].next_prompt()
        following.answer()


async def test_the_same_steer_again_happens_once_and_another_one_conflicts(
    jumping_clock, tmp_path
) -> None:
    async with working(tmp_path) as pair:
        first = await pair.steer(client_command_id="s")
        assert await pair.steer(client_command_id="s") == first
        for changed in ({"content": "else"}, {"action": "interrupt"}):
            with pytest.raises(GroupXError) as refused:
                await pair.steer(**({"client_command_id": "s"} | changed))
            assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT
        assert len(pair.room.events("supervision.steered")) == 1
        pair.worker.answer()
        (await pair.room.programs[A].next_prompt()).answer()


@pytest.mark.parametrize("field", ["content", "reason"])
async def test_a_steer_that_says_nothing_is_refused(jumping_clock, tmp_path, field) -> None:
    async with working(tmp_path) as pair:
        for text in (" ", "\u200b", "\ud800"):
            with pytest.raises(GroupXError) as refused:
                await pair.steer(**{field: text})
            assert refused.value.code is ErrorCode.INVALID_ENVELOPE
        assert not pair.room.events("supervision.steered")


async def test_agents_pair_others_and_a_watcher_sends_to_its_worker_by_steer_only(
    jumping_clock, tmp_path
) -> None:
    async with working(tmp_path) as pair:
        sent = MemberSend(
            **pair.caller, to=(A,), content="psst", reply_to_event_id=pair.observer.source
        )
        with pytest.raises(GroupXError) as refused:
            await pair.room.broker.ref.ask(sent)
        assert refused.value.code is ErrorCode.SUPERVISION_STEER_REQUIRED
        with pytest.raises(GroupXError) as refused:
            await pair.room.broker.ref.ask(
                attrs.evolve(sent, to=(C,), supervision=Supervision(observers=(B,)))
            )
        assert refused.value.code is ErrorCode.SUPERVISION_PAIR_INVALID
        assert len(pair.room.events("supervision.paired")) == 1


async def test_a_watch_ends_when_groupx_stops(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair, trio.open_nursery() as nursery:
        nursery.start_soon(after, 2, lambda: pair.room.hub.release("stopping"))
        query = WatchQuery(watch_turn_id=pair.watch_turn, actor_id=B)
        begun = trio.current_time()
        looked = await watch(pair.room.store, pair.room.hub, query, "terminal", 50)
        assert looked.timed_out
        assert trio.current_time() - begun == pytest.approx(2)


async def test_a_watch_ends_with_its_own_turn(jumping_clock, tmp_path) -> None:
    async with working(tmp_path) as pair, trio.open_nursery() as nursery:
        nursery.start_soon(after, 2, lambda: pair.observer.answer("enough"))
        query = WatchQuery(watch_turn_id=pair.watch_turn, actor_id=B)
        with pytest.raises(GroupXError) as refused:
            await watch(pair.room.store, pair.room.hub, query, "terminal", 50)
        assert refused.value.code is ErrorCode.SESSION_NOT_AVAILABLE


async def test_a_watcher_that_fell_off_the_ring_still_learns(jumping_clock, tmp_path) -> None:
    limits = Limits(sse_events=8)
    async with working(tmp_path, limits) as pair, trio.open_nursery() as nursery:

        def burst() -> None:
            pair.worker.emit(tool("started"))
            for _ in range(pair.room.limits.sse_events + 1):
                pair.observer.emit(ContentDelta("x"))

        nursery.start_soon(after, 1, burst)
        looked = await pair.watch()
        assert looked.milestones == (Milestone.TOOL_OPENED,)
