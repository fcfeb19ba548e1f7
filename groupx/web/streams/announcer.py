"""The transient events that one stream gets for itself: how the agents stand, and resets."""

from collections.abc import Callable, Iterable

import orjson

from groupx.domain.commits import Frame
from groupx.domain.ids import IdSource, RoomId
from groupx.domain.notices import Notice, agent_changed
from groupx.domain.times import iso_from_ms
from groupx.domain.views import AgentView
from groupx.domain.wire import to_wire


class Announcer:
    """Makes such events as frames, outside the ring."""

    def __init__(self, ids: IdSource, now_ms: Callable[[], int]) -> None:
        self._ids = ids
        self._now_ms = now_ms

    def agents_changed(self, room_id: RoomId, views: Iterable[AgentView]) -> list[Frame]:
        """One `agent.changed` for every agent: what a reader needs to be up to date."""
        return [self._frame(room_id, agent_changed(view)) for view in views]

    def reset(self, room_id: RoomId) -> Frame:
        """`stream.reset`: the reader's cursor is not of this ledger; it should load anew."""
        return self._frame(room_id, Notice(type="stream.reset", body={}))

    def _frame(self, room_id: RoomId, notice: Notice) -> Frame:
        envelope = notice.envelope(
            room_id, event_id=self._ids.new("evt"), occurred_at=iso_from_ms(self._now_ms())
        )
        return Frame(None, room_id, notice.type, orjson.dumps(to_wire(envelope)))
