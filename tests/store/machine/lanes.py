"""Rules: what lanes tell the store of their turns."""

from hypothesis import strategies as st

from groupx.domain.ids import ActorId
from groupx.domain.outcomes import Cause
from tests.store.machine.base import Base
from tests.store.machine.drawing import actors, deed, ends, pick
from tests.store.machine.model import ACTIVE, Turn


class Lanes(Base):
    """From claim to end, in order and out of it."""

    def _work(self, actor: ActorId, how: int) -> None:
        """What a healthy lane does next."""
        active = self.model.lane(actor, *ACTIVE)
        attempt = active[0].open_attempt if active else None
        if attempt is None:
            self._claim_head(actor, how % 4 > 0, 1 + how % 3)
        elif attempt.phase == "prepared":
            self.take(self.does.invoke(attempt.id))
        elif attempt.phase == "prompt_invoked" and how % 4:
            self.take(self.does.started(attempt.id))
        else:
            self._end(active[0], Cause.COMPLETED, how % 2 > 0, "done")

    work = deed(actor=actors, how=pick)(_work)
    work_on = deed(actor=actors, how=pick)(_work)
    work_hard = deed(actor=actors, how=pick)(_work)
    work_late = deed(actor=actors, how=pick)(_work)
    work_more = deed(actor=actors, how=pick)(_work)
    work_fast = deed(actor=actors, how=pick)(_work)

    def _claim_head(self, actor: ActorId, at_once: bool, old: int) -> None:
        head, binding = self.model.head(actor), self.world.bindings.get(actor)
        if head is not None and binding is not None:
            self.take(
                self.does.claim(head.id, binding, at_once=at_once, transport="structured", old=old)
            )

    @deed(
        which=pick,
        actor=actors,
        transport=st.sampled_from(["structured", "structured", "direct"]),
        off=st.sampled_from([0, 0, 0, 1]),
    )
    def claim_any(self, which: int, actor: ActorId, transport: str, off: int) -> None:
        """Not the next one, another's session, one that is closed, a packet that is stale."""
        turn = self.turn(which)
        if turn is None:
            return
        by = turn.target if which % 4 else actor
        binding = self.world.bindings.get(by, "binding_none")
        self.take(self.does.claim(turn.id, binding, at_once=False, transport=transport, off=off))

    @deed(actor=actors, which=pick)
    def claim_by_an_old_session(self, actor: ActorId, which: int) -> None:
        head = self.model.head(actor)
        ended = [
            binding
            for binding, owner in self.world.owners.items()
            if owner == actor and binding not in self.model.bindings
        ]
        if head is not None and ended:
            binding = ended[which % len(ended)]
            self.take(self.does.claim(head.id, binding, at_once=True, transport="structured"))

    @deed(actor=actors, times=st.integers(1, 3))
    def hand_over_in_vain(self, actor: ActorId, times: int) -> None:
        for _ in range(times):
            self._claim_head(actor, False, 1)
            self._commit()
            for turn in self.model.lane(actor, "dispatching"):
                self.take(self.does.requeue(turn.id))

    @deed(which=pick)
    def invoke(self, which: int) -> None:
        attempt = self.attempt(which)
        self.take(attempt and self.does.invoke(attempt.id))

    @deed(which=pick)
    def started(self, which: int) -> None:
        attempt = self.attempt(which)
        self.take(attempt and self.does.started(attempt.id))

    @deed(which=pick)
    def progress(self, which: int) -> None:
        turn = self.turn(which)
        self.take(turn and self.does.progress(turn.id))

    @deed(which=pick)
    def requeue(self, which: int) -> None:
        turn = self.turn(which, "dispatching") if which % 4 else self.turn(which)
        self.take(turn and self.does.requeue(turn.id))

    @deed(which=pick, cause=ends, evidence=st.booleans())
    def end(self, which: int, cause: Cause, evidence: bool) -> None:
        turn = self.turn(which, *ACTIVE)
        if turn is not None:
            self._end(turn, cause, evidence, "done")

    @deed(which=pick, cause=ends, evidence=st.booleans(), response=st.sampled_from(["done", "no"]))
    def end_any(self, which: int, cause: Cause, evidence: bool, response: str) -> None:
        """Also one that waits or whose attempt is an old one; and the end of one again."""
        turn = self.turn(which)
        if which % 3 == 0 and (over := self.turn(which, "completed")):
            self._end(over, Cause.COMPLETED, True, response)
        elif turn is not None:
            self._end(turn, cause, evidence, response, old=which % 5 == 0)

    def _end(
        self, turn: Turn, cause: Cause, evidence: bool, response: str | None, *, old: bool = False
    ) -> None:
        attempt = turn.open_attempt
        attempt_id = attempt.id if attempt and not old else None
        if old and turn.attempts:
            attempt_id = turn.attempts[0].id
        self.take(self.does.end(turn.id, attempt_id, cause, evidence=evidence, response=response))
