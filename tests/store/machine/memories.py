"""Rules: what is kept, changed and taken back, by those who may and those who may not."""

from typing import Any

from hypothesis import strategies as st

from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId
from tests.store.machine.base import Base
from tests.store.machine.drawing import actors, commands, deed, pick
from tests.store.machine.model import ACTIVE
from tests.store.machine.remembering import Hand
from tests.store.machine.world import AGENTS

writers = st.sampled_from([USER_WEB, *AGENTS])


class Memories(Base):
    """Memories of the room, and agents' own."""

    @deed(
        by=writers, which=pick, layer=st.sampled_from(["room", "core"]), of=actors,
        cid=st.none() | commands,
    )  # fmt: skip
    def remember(self, by: ActorId, which: int, layer: Any, of: ActorId, cid: int | None) -> None:
        owner = by if by != USER_WEB and which % 3 else of
        self.take(self.does.remember(self._hand(by, which, cid), layer, owner))

    @deed(
        by=writers, which=pick, record=pick, verb=st.sampled_from(["supersede", "retract"]),
        cid=st.none() | commands,
    )  # fmt: skip
    def change_a_memory(
        self, by: ActorId, which: int, record: int, verb: Any, cid: int | None
    ) -> None:
        known = list(self.model.memories)
        memory = known[-1 - record % min(len(known), 6)] if known and record else "mem_none"
        if memory in self.model.memories and which % 4:
            by = self.model.memories[memory].author
        self.take(self.does.change(self._hand(by, which, cid), verb, memory))

    def _hand(self, by: ActorId, which: int, cid: int | None) -> Hand:
        """An agent out of its running turn; now and then out of whichever there is."""
        name = f"y{cid}"
        if by == USER_WEB:
            return Hand(by=by, binding=WEB_BINDING, parent=None, cid=name)
        own = self.model.lane(by, *ACTIVE)
        turn = own[0] if own and which % 8 else self.turn(which)
        return Hand(
            by=by,
            binding=self.world.bindings.get(by, "binding_none"),
            parent=None if turn is None else turn.id,
            cid=None if cid is None else name,
        )
