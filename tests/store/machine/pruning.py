"""The command that archives or deletes old rooms, and what the model expects of it."""

from typing import Literal

from groupx.domain.ids import WEB_BINDING, RoomId
from groupx.domain.rooms import Idle, PrunedRooms, PruneRooms
from groupx.domain.times import iso_from_ms
from groupx.store.session_era import session_era
from groupx.store.transactions.prune import prune
from tests.store.machine.judging import Bench
from tests.store.machine.world import Step

HOUR_MS = 3_600_000


class Pruning(Bench):
    """Builds the step; it says what the model expects of it."""

    def prune(self, action: Literal["archive", "delete"], *, cid: str) -> Step:
        """All that are not the active one, but those that a clock that was set back keeps."""
        model = self.model
        shown = tuple(RoomId(room) for room in model.rooms)
        request = {"action": action, "roomIds": list(shown)}
        era = session_era(self.world.conn, None)
        command = PruneRooms(
            key=self.key("rooms.prune", request, cid, WEB_BINDING),
            action=action,
            idle=Idle(before=iso_from_ms(self.world.clock + HOUR_MS)),
            room_ids=shown,
        )

        def done(answer: PrunedRooms) -> None:
            gone = set(answer.room_ids)
            assert gone <= set(model.rooms) - {model.room}
            for room in gone:
                if action == "archive":
                    assert not model.rooms[room]
                    model.rooms[room] = True
                else:
                    model.forget(room)
                    self.log.done["room deleted"] += 1
            if action == "delete":
                model.deleted_events += answer.events
            assert session_era(self.world.conn, None) == era, "agents would leave their sessions"

        return self.once(
            f"prune {action}", prune, command,
            asked=("rooms.prune", request), reasons=set, done=done,
        )  # fmt: skip
