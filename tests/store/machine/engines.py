"""Rules: what goes on beside the room, its checkpoints and the memories of its days."""

from typing import Any

from hypothesis import strategies as st

from groupx.domain.ids import ActorId
from groupx.domain.rollup import Batch
from tests.store.machine.compacting import Reading
from tests.store.machine.days import WAITS
from tests.store.machine.drawing import actors, commands, deed, fuse, pick
from tests.store.machine.lanes import Lanes
from tests.store.machine.model import ACTIVE

KEPT = 6
"""Readings and batches that may still come to an end."""
ends = st.sampled_from(["a day", "a day", "a longer day", "", "fail"])
"""A memory's text; nothing worth keeping; or no answer."""
between = st.sampled_from(["", "", "", "", "work", "nothing", "a crash", "disabled", "excluded"])
"""What happens while a memory is written, if one is."""
moments = st.sampled_from([None, None, "before", "after"])


class Engines(Lanes):
    """Compaction, and the scheduler of rollups."""

    def __init__(self) -> None:
        self.readings: list[Reading] = []
        self.batches: list[Batch] = []
        super().__init__()

    def _compact(self, quarters: int) -> None:
        reading = self.does.read_for_checkpoint(quarters)
        self.take(reading and self.does.swap(reading))

    compact = deed(quarters=st.integers(1, 4))(_compact)

    @deed(actor=actors, cid=commands, reset=moments, passes=st.integers(0, 2), late=st.booleans())
    def tell_of_what_is_taken_back(
        self, actor: ActorId, cid: int, reset: str | None, passes: int, late: bool
    ) -> None:
        """By so many checkpoints, and by one that is being written; with a reset before it or
        after it."""
        self._compact(4)
        self._reset(reset == "before", cid)
        self.take(self.does.send((actor,), "a secret", cid=f"b{cid}"))
        self._commit()
        secret = next(reversed(self.model.messages), None)
        self._reset(reset == "after", cid)
        for number in range(passes):
            self._compact(4)
            self.take(self.does.publish("more", cid=f"v{cid}.{number}", reply=None))
            self._commit()
        reading = self.does.read_for_checkpoint(4) if late else None
        if secret is not None:
            self.take(self.does.withdraw(secret, cid=f"t{cid}", instead=None))
        self.take(reading and self.does.swap(reading))

    def _reset(self, wanted: bool, cid: int) -> None:
        if wanted:
            self.take(self.does.reset(cid=f"z{cid}", sessions=False))
            self._commit()

    @deed(quarters=st.integers(1, 4))
    def read_for_a_checkpoint(self, quarters: int) -> None:
        reading = self.does.read_for_checkpoint(quarters)
        if reading is not None:
            self.readings = [*self.readings, reading][-KEPT:]

    @deed(which=pick)
    def swap_late(self, which: int) -> None:
        """Whatever happened to the room since it was read."""
        if self.readings:
            self.take(self.does.swap(self.readings[-1 - which % len(self.readings)]))

    @deed(which=pick)
    def begin_a_batch(self, which: int) -> None:
        days = list(dict.fromkeys(it.day for it in self.model.days.sources.values()))
        if days:
            del self.batches[:-KEPT]
            day = days[-1 - which % min(len(days), KEPT)]
            self.take(self.does.begin_batch(day, self.batches))

    def _roll_up(self, actor: ActorId, meanwhile: str, how: str, cid: int) -> None:
        """A turn's way to its end, and the memory of its day from beginning to end; or what comes
        between."""
        self._finish_work(actor)
        waits = [it.day for it in self.model.days.sources.values() if it.state == WAITS]
        if not waits or meanwhile == "nothing":
            return
        self.take(self.does.begin_batch(waits[-1], self.batches))
        self._commit()
        if meanwhile == "work":
            self._finish_work(actor)
        elif meanwhile == "a crash":
            self.take(self.does.recover_batches())
        elif meanwhile:
            _, revision = self.model.days.policy(self.model.room, waits[-1].actor_id)
            policy = waits[-1].actor_id, meanwhile, revision
            self.take(self.does.set_policy(*policy, f"d{cid}"))  # pyright: ignore
        self._end_a_batch(0, how)

    def _finish_work(self, actor: ActorId) -> None:
        """What a lane has to do, or something that is said to it."""
        if not self.model.lane(actor, "queued", *ACTIVE):
            self.take(self.does.send((actor,), "work", cid=None))
        for _ in range(4):
            self._commit()
            self._work(actor, 1)
        self._commit()

    def _end_a_batch(self, which: int, how: str) -> None:
        """Also one that has ended, or that nobody waits for any more."""
        if not self.batches:
            return
        batch = self.batches[-1 - which % min(len(self.batches), 1 + which % KEPT)]
        if how == "fail":
            self.take(self.does.fail_batch(batch))
        else:
            self.take(self.does.finish_batch(batch, how or None))

    end_a_batch = deed(which=pick, how=ends)(_end_a_batch)
    roll_up = deed(actor=actors, meanwhile=between, how=ends, cid=commands)(_roll_up)
    roll_up_more = deed(actor=actors, meanwhile=between, how=ends, cid=commands)(_roll_up)

    @deed(fuse=fuse)
    def rollups_begin_anew(self, fuse: bool) -> None:
        if fuse:
            self.take(self.does.recover_batches())

    @deed(
        actor=actors,
        generation=st.sampled_from(["enabled", "enabled", "disabled", "excluded"]),
        off=st.sampled_from([0, 0, 0, 1]),
        cid=commands,
        fuse=fuse,
    )
    def decide(self, actor: ActorId, generation: Any, off: int, cid: int, fuse: bool) -> None:
        """What may be made of an agent's days, often of one that has some to write."""
        waits = [it.day for it in self.model.days.sources.values() if it.state == WAITS]
        here = [day.actor_id for day in waits if day.room_id == self.model.room]
        if here and cid % 2:
            actor = here[-1]
        if fuse or generation == "enabled":
            _, revision = self.model.days.policy(self.model.room, actor)
            self.take(self.does.set_policy(actor, generation, revision + off, f"d{cid}"))
