"""Waiting for turns to end."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import attrs
import orjson

from groupx.actors.event_hub import EventHub
from groupx.domain.commits import Frame
from groupx.domain.event_types import TERMINAL_EVENT_OF

_ENDS = frozenset(TERMINAL_EVENT_OF.values())
_PROGRESS = "turn.progress"


@attrs.frozen
class _News:
    ended: frozenset[str]
    stopping: frozenset[str]


class Ends:
    """Registered before the turns are looked at, so that no end falls in between."""

    def __init__(self, hub: EventHub, room_id: str) -> None:
        self._hub = hub
        self._reader = hub.subscribe(room_id, hub.ring.through_seq or 0)

    @property
    def over(self) -> bool:
        """Whether the daemon stops: nobody may wait for anything any more."""
        return self._hub.released is not None

    async def next_of(self, turn_ids: AbstractSet[str], own_turn_id: str | None = None) -> None:
        """Until one of these may have ended, `own_turn_id` is being stopped or has ended, or the
        daemon stops. Look at the ledger then."""
        reader, own = self._reader, {own_turn_id}
        while not self.over:
            if reader.behind:
                reader.read_page((), self._hub.ring.floor)
                return
            news = reader.take(_news_in)
            if news is None:
                await reader.wait()
            elif news.ended & (turn_ids | own) or news.stopping & own:
                return


def _news_in(frames: Sequence[Frame]) -> _News:
    ended = {_body(frame)["turnId"] for frame in frames if frame.type in _ENDS}
    progress = (_body(frame) for frame in frames if frame.type == _PROGRESS)
    stopping = {body["turnId"] for body in progress if body.get("phase") == "cancelling"}
    return _News(frozenset(ended), frozenset(stopping))


def _body(frame: Frame) -> dict[str, str]:
    return orjson.loads(frame.data)["body"]
