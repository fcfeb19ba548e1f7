"""A stream begins with what is, and goes on from exactly there, whatever happens meanwhile."""

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from groupx.actors.event_hub import EventHub
from groupx.domain.commits import Frame
from groupx.domain.ids import MAIN_ROOM
from groupx.domain.limits import Limits
from groupx.store.queries.stream_start import StreamStart
from groupx.web.streams.cursor import CursorLoop
from groupx.web.streams.opening import open_stream

BEGINS, ENDS, DELTA, WAKE = "begins", "ends", "delta", "wake"
steps = st.lists(st.sampled_from([BEGINS, ENDS, DELTA, DELTA, WAKE]), max_size=12)


class Ledger:
    """One lane's running turns and the hub that hears of them; a read waits for `meanwhile`."""

    def __init__(self, limits=None):
        self.hub = EventHub(limits or Limits())
        self.frames = []
        self.running = ()
        self.meanwhile = ()
        self.deltas = 0

    def do(self, steps):
        for step in steps:
            seq = len(self.frames) + 1
            if step == BEGINS:
                self.running += (seq,)
                self._commit(seq, BEGINS, seq)
            elif step == ENDS and self.running:
                ended, *rest = self.running
                self.running = tuple(rest)
                self._commit(seq, ENDS, ended)
            elif step == DELTA:
                self.hub.ring.append(Frame(None, MAIN_ROOM, DELTA, b"%d" % self.deltas))
                self.deltas += 1
            elif step == WAKE:
                self.hub._wake_readers(0.0)

    def _commit(self, seq, kind, turn):
        frame = Frame(seq, MAIN_ROOM, kind, b"%d" % turn)
        self.frames.append(frame)
        self.hub.append([frame])

    async def ask(self, request):
        await trio.lowlevel.checkpoint()
        if hasattr(request.query, "after_seq"):
            return self.frames[request.query.after_seq :][:2]
        start = StreamStart(
            room_id=MAIN_ROOM, through_seq=len(self.frames), turns=tuple(self.running)
        )
        self.do(self.meanwhile)
        return start


async def follow(ledger, before, meanwhile, after, after_seq):
    ledger.do(before)
    seen_from, ledger.meanwhile = ledger.deltas, meanwhile
    opening = await open_stream(ledger.hub, ledger, after_seq=after_seq)
    ledger.do([*after, WAKE])
    events = CursorLoop(ledger.hub, ledger, opening.room_id, opening.subscription, list)
    frames = []
    with trio.move_on_after(1):
        while True:
            frames += await events.next()
    return opening, frames, seen_from


@pytest.mark.slow
@pytest.mark.parametrize("limits", [Limits(), Limits(sse_events=2)], ids=["ring", "store"])
@given(before=steps, meanwhile=steps, after=steps)
def test_live_from_now_misses_no_end(limits, before, meanwhile, after):
    ledger = Ledger(limits)
    opening, frames, seen_from = trio.run(
        follow,
        ledger,
        before,
        meanwhile,
        after,
        None,
        clock=trio.testing.MockClock(rate=0, autojump_threshold=0),
    )
    durable = [frame for frame in frames if frame.seq is not None]
    assert durable == ledger.frames[opening.through_seq :]
    running = set(opening.active_turns)
    for frame in durable:
        (running.add if frame.type == BEGINS else running.discard)(int(frame.data))
    assert running == set(ledger.running)
    if limits == Limits():
        deltas = [int(frame.data) for frame in frames if frame.seq is None]
        assert deltas == list(range(seen_from, ledger.deltas))


@pytest.mark.slow
@given(before=steps, meanwhile=steps, after=steps, data=st.data())
def test_above_a_cursor_nothing_is_missing_or_twice(before, meanwhile, after, data):
    ledger = Ledger()
    after_seq = data.draw(st.integers(0, 14))
    opening, frames, _ = trio.run(
        follow,
        ledger,
        before,
        meanwhile,
        after,
        after_seq,
        clock=trio.testing.MockClock(rate=0, autojump_threshold=0),
    )
    assert opening.reset == (after_seq > opening.through_seq)
    begin = opening.through_seq if opening.reset else after_seq
    assert [frame for frame in frames if frame.seq is not None] == ledger.frames[begin:]
