"""Waiting for turns to end."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import orjson

from groupx.actors.event_hub import EventHub
from groupx.domain.commits import Frame
from groupx.domain.event_types import TERMINAL_EVENT_OF

_ENDS = frozenset(TERMINAL_EVENT_OF.values())


class Ends:
    """Registered before the turns are looked at, so that no end falls in between."""

    def __init__(self, hub: EventHub, room_id: str) -> None:
        self._hub = hub
        self._reader = hub.subscribe(room_id, hub.ring.through_seq or 0)

    @property
    def over(self) -> bool:
        """Whether the daemon stops: nobody may wait for anything any more."""
        return self._hub.released is not None

    async def next_of(self, turn_ids: AbstractSet[str]) -> None:
        """Until one of these may have ended, or the daemon stops. Look at the ledger then."""
        reader = self._reader
        while not self.over:
            if reader.behind:
                reader.read_page((), self._hub.ring.floor)
                return
            ended = reader.take(_ended_in)
            if ended is None:
                await reader.wait()
            elif not ended.isdisjoint(turn_ids):
                return


def _ended_in(frames: Sequence[Frame]) -> frozenset[str]:
    return frozenset(
        orjson.loads(frame.data)["body"]["turnId"] for frame in frames if frame.type in _ENDS
    )
