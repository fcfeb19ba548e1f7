"""Rules: programs, the daemon, its power and its clock."""

from hypothesis import strategies as st

from groupx.domain.ids import ActorId
from groupx.domain.outcomes import Cause
from tests.store.machine.drawing import actors, deed, fuse
from tests.store.machine.lanes import Lanes
from tests.store.machine.model import ACTIVE
from tests.store.machine.world import AGENTS


class Daemons(Lanes):
    """Stops and starts, crashes, time."""

    @deed(actor=actors, fuse=fuse)
    def stop_agent(self, actor: ActorId, fuse: bool) -> None:
        if fuse:
            self._stop(actor)

    def _stop(self, actor: ActorId) -> None:
        """In order: what runs is ended or put back, then the program is gone."""
        self._commit()
        for turn in self.model.lane(actor, *ACTIVE):
            attempt = turn.open_attempt
            if turn.sent:
                cause = (
                    Cause.STOP_CONFIRMED if attempt and attempt.began else Cause.STOP_UNCONFIRMED
                )
                self._end(turn, cause, False, None)
            else:
                self.take(self.does.requeue(turn.id))
        self._drop_session(actor)
        self.model.stopped.add(actor)

    @deed(actor=actors)
    def start_agent(self, actor: ActorId) -> None:
        self._commit()
        if actor not in self.model.gone:
            self._drop_session(actor)
            self.model.stopped.discard(actor)
            self._open_session(actor)

    def _drop_session(self, actor: ActorId) -> None:
        binding = self.world.bindings.pop(actor, None)
        self.take(binding and self.does.close_session(binding))

    @deed(actor=actors, alive=st.booleans(), fuse=fuse)
    def lane_crashes(self, actor: ActorId, alive: bool, fuse: bool) -> None:
        if not fuse or actor in self.model.gone:
            return
        self._commit()
        self.take(self.does.recover_lane(actor, alive=alive))
        if self.world.bindings.get(actor) not in self.model.bindings:
            self._open_session(actor)

    @deed(count=st.integers(1, 5))
    def gather_steps(self, count: int) -> None:
        self.gather = count

    @deed(asks=st.booleans(), without=st.sampled_from([None, None, None, *AGENTS]), fuse=fuse)
    def crash(self, asks: bool, without: ActorId | None, fuse: bool) -> None:
        """In the middle of a group, if one is gathered; nothing of it was acknowledged."""
        if not fuse:
            return
        steps, self.waiting, self.gather = self.waiting, [], 0
        self.world.crash(steps)
        self.log.done["crash in a group" if steps else "crash"] += 1
        self.model.gone = {without} if without else set()
        self._live(asks=asks)

    @deed(fuse=fuse)
    def stop_and_start(self, fuse: bool) -> None:
        if not fuse:
            return
        for actor in AGENTS:
            self._stop(actor)
        self.world.reopen()
        self.log.done["stop and start"] += 1
        self.model.gone = set()
        self._live(asks=False)

    @deed(hours=st.sampled_from([1, 6, 25, -2]))
    def time_passes(self, hours: int) -> None:
        """Over midnight, and back as when a clock is set."""
        self.world.clock += hours * 3_600_000
        self.log.done["time passes"] += 1
