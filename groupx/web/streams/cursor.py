"""The cursor loop: pages of the store until the reader is inside the ring, then the ring.

Both streams use it, so neither can have a gap between replay and live.
"""

from typing import Generic, TypeVar

from groupx.actors.event_hub import EventHub
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore
from groupx.actors.subscription import Encode, Subscription
from groupx.domain.ids import RoomId
from groupx.domain.pages import EventsAfter
from groupx.store.queries.events_after import events_after

T = TypeVar("T")


class CursorLoop(Generic[T]):
    """Everything durable above a cursor, then what happens; encoded by `encode`."""

    def __init__(
        self,
        hub: EventHub,
        store: ActorRef[ToStore],
        room_id: RoomId,
        subscription: Subscription,
        encode: Encode[T],
    ) -> None:
        self._hub = hub
        self._store = store
        self._room_id = room_id
        self._subscription = subscription
        self._encode = encode

    async def next(self) -> T | None:
        """The next events; None once the hub released its streams. Loses nothing if cancelled.

        Raises what a read of the store raises.
        """
        subscription = self._subscription
        while self._hub.released is None:
            if subscription.behind:
                floor = self._hub.ring.floor
                query = EventsAfter(room_id=self._room_id, after_seq=subscription.cursor)
                page = await self._store.ask(Read(events_after, query))
                subscription.read_page(page, floor)
                if page:
                    return self._encode(page)
            elif (piece := subscription.take(self._encode)) is not None:
                return piece
            else:
                await subscription.wait()
        return None
