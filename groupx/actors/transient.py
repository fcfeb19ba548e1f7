"""Events that stream and are never stored."""

from collections.abc import Callable

import attrs

from groupx.actors.event_hub import EventHub
from groupx.domain.ids import IdSource, RoomId
from groupx.domain.notices import Notice, room_changed
from groupx.domain.times import iso_from_ms


@attrs.define(kw_only=True)
class Transients:
    """Makes transient envelopes of the active room and hands them to the hub; never blocks."""

    hub: EventHub
    ids: IdSource
    now_ms: Callable[[], int]
    room_id: RoomId

    def enter(self, room_id: RoomId) -> None:
        """Another room is active: whoever still follows the one before is told so."""
        self.say(room_changed())
        self.room_id = room_id

    def say(self, notice: Notice) -> None:
        """Publish one."""
        event_id, now = self.ids.new("evt"), iso_from_ms(self.now_ms())
        self.hub.publish(notice.envelope(self.room_id, event_id=event_id, occurred_at=now))
