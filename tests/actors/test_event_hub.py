"""The hub: nothing durable is lost, whatever the interleaving; one wake per tick."""

import functools
import random
from collections.abc import Sequence

import attrs
import orjson
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from groupx.actors.event_hub import (
    READER_SECONDS,
    SLICE_BYTES,
    TICK_SECONDS,
    EventHub,
    EventHubActor,
)
from groupx.actors.subscription import Replay, Subscription
from groupx.domain.commits import Frame
from groupx.domain.ids import MAIN_ROOM, RoomId
from groupx.domain.limits import Limits
from groupx.domain.notices import Notice
from groupx.domain.views import LiveTurn

OTHER_ROOM = RoomId("room:other")


def durable(seq: int, room: str = MAIN_ROOM, size: int = 10) -> Frame:
    return Frame(seq, room, "message.created", b"x" * size)


def delta(number: int, room: RoomId = MAIN_ROOM):
    notice = Notice(type="turn.content.delta", body={"chunkIndex": number})
    at = "2026-01-01T00:00:00.000Z"
    return notice.envelope(room, event_id=f"evt_{number}", occurred_at=at)


def labels(frames: Sequence[Frame]) -> list[str]:
    """`17` for a durable frame, `d3` for a delta."""
    return [
        str(frame.seq)
        if frame.seq is not None
        else f"d{orjson.loads(frame.data)['body']['chunkIndex']}"
        for frame in frames
    ]


@attrs.define
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@attrs.define
class Ledger:
    """A store and the hub behind its after-commit hook."""

    hub: EventHub
    frames: list[Frame] = attrs.field(factory=list)
    reads: int = 0

    def commit(self, count: int = 1, room: str = MAIN_ROOM) -> None:
        new = [durable(len(self.frames) + 1 + index, room) for index in range(count)]
        self.frames.extend(new)
        self.hub.append(new)

    def page(self, cursor: int, rows: int = 3) -> list[Frame]:
        self.reads += 1
        mine = [f for f in self.frames if (f.seq or 0) > cursor and f.room_id == MAIN_ROOM]
        return mine[:rows]


def make_hub(
    clock: Clock | None = None, events: int = 4096, size: int = 1 << 20, through: int = 0
) -> EventHub:
    hub = EventHub(Limits(sse_events=events, sse_bytes=size), clock=clock or Clock())
    hub.ring.learn(through)
    return hub


def drain(reader: Subscription) -> list[str]:
    got: list[str] = []
    while (more := reader.take(labels)) is not None:
        got += more
    return got


# --- waking -------------------------------------------------------------------------------------


def test_a_commit_is_visible_at_once_when_the_last_wake_is_old():
    clock = Clock()
    hub = make_hub(clock)
    reader = hub.subscribe(MAIN_ROOM, 0)
    hub.append([durable(1)])
    assert drain(reader) == ["1"]
    clock.now += READER_SECONDS / 2
    hub.append([durable(2)])
    assert drain(reader) == []
    clock.now += READER_SECONDS
    hub.append([durable(3)])
    assert drain(reader) == ["2", "3"]


async def test_deltas_wait_for_the_end_of_the_tick(autojump_clock: trio.testing.MockClock):
    hub = EventHub(Limits())
    hub.ring.learn(0)
    reader = hub.subscribe(MAIN_ROOM, 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(EventHubActor(hub).run)
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        hub.publish(delta(0))
        hub.publish(delta(1))
        assert reader.take(labels) is None
        await reader.wait()
        assert trio.current_time() - began == pytest.approx(TICK_SECONDS)
        assert drain(reader) == ["d0", "d1"]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("readers", "seconds"), [(1, READER_SECONDS), (5, 5 * READER_SECONDS), (50, TICK_SECONDS)]
)
async def test_the_next_commit_waits_the_longer_the_more_readers_there_are_to_wake(
    autojump_clock: trio.testing.MockClock, readers: int, seconds: float
):
    hub = EventHub(Limits())
    hub.ring.learn(0)
    subscriptions = [hub.subscribe(MAIN_ROOM, 0) for _ in range(readers)]
    woken: list[float] = []

    async def read(reader: Subscription) -> None:
        await reader.wait()
        assert drain(reader) == ["1"]
        await reader.wait()
        assert drain(reader) == ["2"]
        woken.append(trio.current_time())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(EventHubActor(hub).run)
        for reader in subscriptions:
            nursery.start_soon(read, reader)
        await trio.testing.wait_all_tasks_blocked()
        hub.append([durable(1)])
        began = trio.current_time()
        await trio.testing.wait_all_tasks_blocked()
        hub.append([durable(2)])
        await trio.sleep(1)
        assert woken == [pytest.approx(began + seconds)] * readers
        nursery.cancel_scope.cancel()


async def test_a_commit_brings_the_end_of_the_tick_forward(
    autojump_clock: trio.testing.MockClock,
):
    hub = EventHub(Limits())
    hub.ring.learn(0)
    reader = hub.subscribe(MAIN_ROOM, 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(EventHubActor(hub).run)
        hub.append([durable(1)])
        assert drain(reader) == ["1"]
        began = trio.current_time()
        hub.publish(delta(0))
        await trio.testing.wait_all_tasks_blocked()
        hub.append([durable(2)])
        await reader.wait()
        assert trio.current_time() - began == pytest.approx(READER_SECONDS)
        assert drain(reader) == ["d0", "2"]
        nursery.cancel_scope.cancel()


async def test_the_ticker_sleeps_while_nothing_is_pending(autojump_clock: trio.testing.MockClock):
    hub = EventHub(Limits())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(EventHubActor(hub).run)
        hub.publish(delta(0))
        await trio.sleep(1)
        await trio.testing.wait_all_tasks_blocked()
        assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")
        nursery.cancel_scope.cancel()


async def test_release_ends_every_wait_and_the_first_reason_stands():
    hub = make_hub()
    reader = hub.subscribe(MAIN_ROOM, 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader.wait)
        nursery.start_soon(reader.wait)
        await trio.testing.wait_all_tasks_blocked()
        hub.release("stopping")
        hub.release("again")
    assert hub.released == "stopping"


# --- the ring -----------------------------------------------------------------------------------


def test_the_ring_is_bounded_by_count_and_by_bytes():
    hub = make_hub(events=4)
    hub.append([durable(seq) for seq in range(1, 11)])
    assert (hub.ring.start, hub.ring.end, hub.ring.floor) == (6, 10, 6)
    hub = make_hub(size=100)
    hub.append([durable(seq, size=40) for seq in range(1, 4)])
    assert (hub.ring.start, hub.ring.floor) == (1, 1)
    hub.append([durable(4, size=101)])
    assert (hub.ring.start, hub.ring.end, hub.ring.floor) == (4, 4, 4)


def test_a_reader_that_fell_off_is_told_and_comes_back_through_the_store():
    clock = Clock()
    hub = make_hub(clock, events=4)
    ledger = Ledger(hub)
    reader = hub.subscribe(MAIN_ROOM, 0)
    ledger.commit(10)
    assert reader.behind
    got: list[str] = []
    while reader.behind:
        floor = hub.ring.floor
        page = ledger.page(reader.cursor)
        reader.read_page(page, floor)
        got += labels(page)
    got += drain(reader)
    assert got == [str(seq) for seq in range(1, 11)]


def test_losing_only_deltas_needs_no_store():
    clock = Clock()
    hub = make_hub(clock, events=4)
    hub.append([durable(1)])
    reader = hub.subscribe(MAIN_ROOM, 1)
    for number in range(10):
        hub.publish(delta(number))
    clock.now += 1
    hub.append([durable(2)])
    assert not reader.behind
    assert drain(reader) == ["d7", "d8", "d9", "2"]


def test_readers_at_one_place_share_one_encoding():
    hub = make_hub()
    readers = [hub.subscribe(MAIN_ROOM, 0) for _ in range(50)]
    calls: list[int] = []

    def encode(frames: Sequence[Frame]) -> bytes:
        calls.append(len(frames))
        return b"".join(frame.data for frame in frames)

    hub.append([durable(1), durable(2)])
    pieces = [reader.take(encode) for reader in readers]
    assert calls == [2]
    assert all(piece is pieces[0] for piece in pieces)


def test_one_piece_is_bounded_so_that_a_slow_reader_holds_little():
    hub = make_hub(size=64 * SLICE_BYTES)
    hub.append([durable(seq, size=SLICE_BYTES // 2) for seq in range(1, 11)])
    reader = hub.subscribe(MAIN_ROOM, 0)
    sizes: list[int] = []
    while (piece := reader.take(len)) is not None:
        sizes.append(piece)
    assert sizes == [2] * 5


def test_rooms_do_not_see_each_other():
    clock = Clock()
    hub = make_hub(clock)
    here, there = hub.subscribe(MAIN_ROOM, 0), hub.subscribe(OTHER_ROOM, 0)
    hub.append([durable(1), durable(2, OTHER_ROOM), durable(3)])
    hub.publish(delta(0, OTHER_ROOM))
    clock.now += 1
    hub.append([durable(4, OTHER_ROOM)])
    assert drain(here) == ["1", "3"]
    assert here.cursor == 4
    assert drain(there) == ["2", "d0", "4"]


def test_who_catches_up_gets_what_is_durable_and_transient_events_from_its_own_moment_on():
    clock = Clock()
    hub = make_hub(clock)
    hub.append([durable(1)])
    hub.publish(delta(0))
    earlier = hub.subscribe(MAIN_ROOM, 1, Replay(transients_from=1))
    told_deltas = hub.subscribe(MAIN_ROOM, 0, Replay(transients_from=hub.ring.end, deltas=True))
    from_now = hub.subscribe(MAIN_ROOM, 1)
    from_now_behind = hub.subscribe(MAIN_ROOM, 0)
    hub.publish(delta(1))
    clock.now += 1
    hub.append([durable(2)])
    behind = hub.subscribe(MAIN_ROOM, 0, Replay(transients_from=2))
    assert drain(earlier) == ["d0", "d1", "2"]
    assert drain(told_deltas) == ["1", "d0", "d1", "2"]
    assert drain(from_now_behind) == ["1", "d1", "2"]
    assert drain(from_now) == ["d1", "2"]
    assert drain(behind) == ["1", "d1", "2"]


def test_the_store_may_be_ahead_of_the_ring():
    """A page that was read before its commit's frames came is not shown twice."""
    clock = Clock()
    hub = make_hub(clock, events=2)
    hub.append([durable(1), durable(2), durable(3)])
    reader = hub.subscribe(MAIN_ROOM, 0)
    reader.read_page([durable(1), durable(2), durable(3), durable(4)], hub.ring.floor)
    assert drain(reader) == []
    clock.now += 1
    hub.append([durable(4), durable(5)])
    assert drain(reader) == ["5"]


def test_live_turns_come_and_go():
    hub = make_hub()
    assert hub.live("turn_1") is None
    said = ["a"]
    hub.live_begin("turn_1", lambda: LiveTurn(text="".join(said)))
    said.append("b")
    assert hub.live("turn_1") == LiveTurn(text="ab")
    hub.live_end("turn_1")
    hub.live_end("turn_1")
    assert hub.live("turn_1") is None


# --- nothing durable is lost --------------------------------------------------------------------

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("commit"), st.integers(1, 4)),
        st.tuples(st.just("other"), st.integers(1, 3)),
        st.tuples(st.just("delta"), st.just(0)),
        st.tuples(st.just("pass"), st.sampled_from([0.0, 0.005, 0.03])),
        st.tuples(st.just("take"), st.integers(0, 1)),
        st.tuples(st.just("ask"), st.integers(0, 1)),
        st.tuples(st.just("answer"), st.integers(0, 1)),
    ),
    max_size=60,
)


@attrs.define
class Reader:
    """One cursor loop, cut into the steps between which anything may happen."""

    place: Subscription
    got: list[str] = attrs.field(factory=list)
    asked: tuple[list[Frame], int] | None = None

    def take(self) -> None:
        if self.asked is None and not self.place.behind:
            self.got += self.place.take(labels) or []

    def ask(self, ledger: Ledger) -> None:
        if self.asked is None and self.place.behind:
            self.asked = (ledger.page(self.place.cursor), ledger.hub.ring.floor)

    def answer(self) -> None:
        if self.asked is not None:
            page, floor = self.asked
            self.asked = None
            self.place.read_page(page, floor)
            self.got += labels(page)


@given(steps=STEPS, events=st.integers(1, 6), cursor=st.integers(0, 3))
def test_whatever_the_interleaving_every_durable_event_arrives_once_in_order(
    steps: list[tuple[str, float]], events: int, cursor: int
):
    clock = Clock()
    hub = make_hub(clock, events=events)
    ledger = Ledger(hub)
    ledger.commit(3)
    readers = [Reader(hub.subscribe(MAIN_ROOM, cursor)), Reader(hub.subscribe(MAIN_ROOM, 0))]
    sent = 0
    for name, value in steps:
        match name:
            case "commit":
                ledger.commit(int(value))
            case "other":
                ledger.commit(int(value), OTHER_ROOM)
            case "delta":
                hub.publish(delta(sent))
                sent += 1
            case "pass":
                clock.now += value
            case "take":
                readers[int(value)].take()
            case "ask":
                readers[int(value)].ask(ledger)
            case _:
                readers[int(value)].answer()
    clock.now += 1
    ledger.commit(1)
    mine = [frame.seq for frame in ledger.frames if frame.room_id == MAIN_ROOM]
    for reader, first in zip(readers, (cursor, 0), strict=True):
        for _ in range(len(mine) + len(steps)):
            reader.answer()
            reader.ask(ledger)
            reader.answer()
            reader.take()
        seqs = [int(label) for label in reader.got if label[0] != "d"]
        deltas = [int(label[1:]) for label in reader.got if label[0] == "d"]
        assert seqs == [seq for seq in mine if seq is not None and seq > first]
        assert deltas == sorted(set(deltas))


@pytest.mark.slow
@given(seed=st.integers(0, 2**32), events=st.integers(1, 8), through=st.integers(0, 5))
async def test_waiting_tasks_never_miss_what_was_committed_before_they_waited(
    seed: int, events: int, through: int
):
    chance = random.Random(seed)
    hub = EventHub(Limits(sse_events=events, sse_bytes=1 << 20))
    ledger = Ledger(hub, [durable(seq) for seq in range(1, through + 1)])
    hub.ring.learn(through)
    total = through + 30

    async def read(got: list[int]) -> None:
        place = hub.subscribe(MAIN_ROOM, 0)
        while not got or got[-1] < total:
            if place.behind:
                floor = hub.ring.floor
                page = ledger.page(place.cursor)
                for _ in range(chance.randrange(3)):
                    await trio.lowlevel.checkpoint()
                place.read_page(page, floor)
                got += [frame.seq or 0 for frame in page]
            elif (frames := place.take(tuple)) is not None:
                got += [frame.seq for frame in frames if frame.seq is not None]
                for _ in range(chance.randrange(3)):
                    await trio.lowlevel.checkpoint()
            else:
                await place.wait()

    async def commit() -> None:
        while len(ledger.frames) < total:
            ledger.commit(min(chance.randint(1, 3), total - len(ledger.frames)))
            hub.publish(delta(0))
            for _ in range(chance.randrange(4)):
                await trio.lowlevel.checkpoint()

    results: list[list[int]] = [[] for _ in range(4)]
    with trio.fail_after(20):
        async with trio.open_nursery() as ticking:
            ticking.start_soon(EventHubActor(hub).run)
            async with trio.open_nursery() as nursery:
                for got in results:
                    nursery.start_soon(functools.partial(read, got))
                nursery.start_soon(commit)
            ticking.cancel_scope.cancel()
    assert results == [list(range(1, total + 1))] * 4
