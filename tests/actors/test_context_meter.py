"""The gauge of the room's context: never under what a packet takes, and cheap to look at twice."""

from groupx.actors.context_meter import ContextMeter
from groupx.actors.messages import BuildPacket, ResetRoom, WithdrawMessage
from groupx.domain.context_view import ENTRY_FRAME_CHARACTERS
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.store.queries import context_size
from tests.actors.fakes import answers, open_room
from tests.actors.test_context_engine import SAY_OK

A = ActorId("agent:a")


class CountingStore:
    """The store's reference, which remembers what it was asked."""

    def __init__(self, store) -> None:
        self.store = store
        self.slices = []

    async def ask(self, request):
        if request.run is context_size.said_size:
            self.slices.append(request.query)
        return await self.store.ask(request)


async def test_it_is_not_under_what_a_new_session_is_told(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        for number in range(20):
            [turn] = await room.send(A, content=f"message {number} " * number + "!")
        view = await ContextMeter(room.store, room.limits, room.compactor.view).read()
        packet = await room.context.ref.ask(BuildPacket(turn_id=turn, native_session_id=None))
        assert view.uncompacted_message_count == 20
        assert view.compactable
        assert len(packet.text) <= view.estimated_characters <= 2 * len(packet.text)
        assert view.utilization_percent == round(view.estimated_characters / 2560, 1)
        assert view.max_characters == 256_000
        assert view.compaction_trigger_characters == 192_000
        assert (view.summary_through_seq, view.reset_through_seq) == (None, None)


async def test_it_follows_what_is_said_withdrawn_and_reset(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        meter = ContextMeter(room.store, room.limits, room.compactor.view)
        empty = await meter.read()
        room.programs[A].script = answers
        await room.ended(*await room.send(A, content="x" * 100))
        full = await meter.read()
        assert (empty.uncompacted_message_count, full.uncompacted_message_count) == (0, 2)
        said = 100 + len("answer 1")
        frames = full.estimated_characters - empty.estimated_characters - said
        assert frames == 2 * ENTRY_FRAME_CHARACTERS
        assert [it.source for it in full.by_source] == ["turn"]
        assert not full.compactable
        room.programs[A].script = None
        await room.send(A)
        [waiting] = await room.send(A, content="taken back")
        [(event_id,)] = room.rows(f"SELECT source_event_id FROM turns WHERE turn_id = '{waiting}'")
        assert (await meter.read()).uncompacted_message_count == 4
        withdrawal = WithdrawMessage(client_command_id="w", message_event_id=event_id)
        await room.broker.ref.ask(withdrawal)
        assert (await meter.read()).uncompacted_message_count == 3
        done = await room.broker.ref.ask(ResetRoom(client_command_id="r"))
        after = await meter.read()
        assert after.reset_through_seq == done.through_seq
        assert after.estimated_characters == empty.estimated_characters
        assert [it.characters for it in after.by_source] == [None]


async def test_a_long_room_is_counted_once_in_slices(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False, limits=Limits()) as room:
        room.conn.execute(SAY_OK)
        store = CountingStore(room.store)
        meter = ContextMeter(store, room.limits, room.compactor.view)
        first = await meter.read()
        assert first.uncompacted_message_count == 3_000
        assert [it.through_seq for it in store.slices] == [2_000, 3_000]
        assert first.utilization_percent > 100
        assert await meter.read() == first
        assert len(store.slices) == 2
        await room.send(A)
        assert (await meter.read()).uncompacted_message_count == 3_001
        assert (store.slices[-1].after_seq, len(store.slices)) == (3_000, 3)
