"""Checkpoints that are read for and then swapped in, and what the model expects of them."""

import json

import attrs

from groupx.domain.compaction import BlockQuery, SwapCheckpoint
from groupx.store.queries.compaction import block_page, standing
from groupx.store.transactions.checkpoint import swap_checkpoint
from tests.store.machine.judging import Bench, Reasons
from tests.store.machine.model import Checkpoint
from tests.store.machine.world import AGENTS, Step


@attrs.frozen(kw_only=True)
class Reading:
    """What a pass has read; its checkpoint comes later, or too late."""

    swap: SwapCheckpoint
    """Its content is the numbers of the messages that it tells of."""
    taken_back: frozenset[str]
    """By then."""


class Compacting(Bench):
    """Builds the step; it says what the model expects of it."""

    def read_for_checkpoint(self, quarters: int) -> Reading | None:
        """So many quarters of what no checkpoint covers yet; None where nothing was said."""
        conn = self.world.conn
        now = standing(conn, None)
        covered = now.covered_seq
        through = covered + (now.newest_seq - covered) * quarters // 4
        query = BlockQuery(room_id=now.room_id, after_seq=covered, through_seq=through)
        block = block_page(conn, query)
        if not block.entries:
            return None
        end = block.entries[-1].seq
        before = now.summary
        tells = [*json.loads(before.content if before else "[]"), *(it.seq for it in block.entries)]
        swap = SwapCheckpoint(
            room_id=now.room_id,
            previous_id=before and before.summary_id,
            from_seq=before.from_seq if before else block.entries[0].seq,
            through_seq=end,
            read_seq=now.newest_seq,
            content=json.dumps(tells, separators=(",", ":")),
            generator_actor_id=AGENTS[0],
            prompt_characters=1,
        )
        return Reading(swap=swap, taken_back=self._taken_back(now.room_id, end))

    def swap(self, reading: Reading) -> Step:
        model, swap = self.model, reading.swap
        room = swap.room_id

        def reasons() -> Reasons:
            chain = model.checkpoints.get(room)
            follows = (chain[-1].id if chain else None) == swap.previous_id
            above = swap.from_seq > model.floor(room)
            known = self._taken_back(room, swap.through_seq) <= reading.taken_back
            there = room in model.rooms
            return set() if there and follows and above and known else {"STORE_CONFLICT"}

        def done(summary_id: str) -> None:
            made = Checkpoint(summary_id, swap.through_seq)
            model.checkpoints.setdefault(room, []).append(made)

        return self.step("swap", swap_checkpoint, swap, reasons, done)

    def _taken_back(self, room: str, through: int) -> frozenset[str]:
        return frozenset(
            it.id
            for it in self.model.messages.values()
            if it.withdrawn and it.room == room and self.seq_of(it.id) <= through
        )
