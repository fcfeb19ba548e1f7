"""Rules: what agents do out of their turns."""

from hypothesis import strategies as st

from groupx.domain.ids import ActorId
from tests.store.machine.base import Base
from tests.store.machine.drawing import actors, calls, commands, deed, pick, somebody
from tests.store.machine.model import ACTIVE, Turn


class Agents(Base):
    """Calls, and waiting for their ends."""

    @deed(which=pick, to=somebody, kind=calls, wake_me=st.booleans(), cid=st.none() | commands)
    def call(
        self, which: int, to: tuple[str, ...], kind: str, wake_me: bool, cid: int | None
    ) -> None:
        """An agent sends or asks while it works."""
        parent = self.turn(which, *ACTIVE)
        if parent is not None:
            self._call(parent, parent.target, to, kind, wake_me, cid)

    def _wake_me(self, which: int, actor: ActorId, kind: str) -> None:
        parent = self.turn(which, *ACTIVE)
        if parent is not None:
            self._call(parent, parent.target, (actor,), kind, True, None)

    wake_me = deed(which=pick, actor=actors, kind=calls)(_wake_me)
    and_me = deed(which=pick, actor=actors, kind=calls)(_wake_me)
    me_too = deed(which=pick, actor=actors, kind=calls)(_wake_me)

    @deed(which=pick, to=somebody, kind=calls, by=actors)
    def call_out_of_any_turn(self, which: int, to: tuple[str, ...], kind: str, by: ActorId) -> None:
        """Also out of a turn that has ended, waits, or is another's."""
        parent = self.turn(which)
        if parent is not None:
            self._call(parent, by if which % 2 else parent.target, to, kind, True, None)

    def _call(
        self,
        parent: Turn,
        by: ActorId,
        to: tuple[str, ...],
        kind: str,
        wake_me: bool,
        cid: int | None,
    ) -> None:
        binding = self.world.bindings.get(by, "binding_none")
        self.take(
            self.does.send(
                to,
                "help",
                cid=None if cid is None else f"k{cid}",
                parent=parent.id,
                author=by,
                binding=binding,
                kind=kind,
                wake_me=wake_me,
            )
        )

    @deed(which=pick, by=pick, waits=st.booleans())
    def collect(self, which: int, by: int, waits: bool) -> None:
        """An agent waits for what it called, or waits no longer."""
        turn = self.turn(by, *ACTIVE) or self.turn(by)
        children = list(self.model.claims)
        if turn is not None and children:
            mine = [
                claim.child
                for claim in self.model.claims.values()
                if turn.id in (claim.waiter, claim.callback)
            ]
            found = mine or children
            chosen = [found[-1 - which % len(found)], found[-1]][: 1 + which % 2]
            self.take(self.does.collect(list(dict.fromkeys(chosen)), turn.id, waits=waits))
