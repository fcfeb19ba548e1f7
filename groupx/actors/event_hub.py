"""The hub: committed events and deltas go in, every stream of the room comes out."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import orjson
import trio

from groupx.actors.live_turns import LiveTurns, Show
from groupx.actors.mailbox import Bell
from groupx.actors.ring import Ring
from groupx.actors.subscription import Encode, Replay, Slice, Subscription
from groupx.domain.commits import Frame
from groupx.domain.envelope import Envelope
from groupx.domain.limits import Limits
from groupx.domain.views import LiveTurn
from groupx.domain.wire import to_wire

T = TypeVar("T")

TICK_SECONDS = 0.02
READER_SECONDS = 0.001
"""Between two wakes for commits, for each reader who waits, at most a tick: a few readers see a
commit at once, and waking takes no more than a tenth of the loop however many there are."""
SLICE_BYTES = 256 * 1024
"""What one reader is given at once: a slow one holds this much, not the whole ring."""

Place = tuple[object, str, int, Replay]
"""What makes a slice the same for two readers: encoding, room, position, transients from."""


class EventHub:
    """A bounded ring with a cursor per reader, and one wake for all of them: for deltas once a
    tick, for commits as soon as the number of readers allows.

    Every method is synchronous and never blocks; what is published becomes visible to readers
    with the next wake. Memory is that of the ring, however many readers there are.
    """

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = trio.current_time) -> None:
        self._clock = clock
        self.ring = Ring(limits.sse_events, limits.sse_bytes)
        self.visible = 0
        """Readers see positions below this one."""
        self.released: str | None = None
        """Why every stream is to end; None while the hub serves."""
        self._live = LiveTurns()
        self._shared: dict[Place, Slice[Any]] = {}
        self._shared_bytes = 0
        self._max_shared_bytes = limits.sse_bytes
        self._wake = trio.Event()
        self._release = trio.Event()
        self._last_wake = float("-inf")
        self._wake_at: float | None = None
        self._pending = Bell()

    # --- publishers -------------------------------------------------------------------------

    def append(self, frames: Sequence[Frame]) -> None:
        """Committed events, in seq order; readers wake now unless they just did."""
        if not frames:
            return
        for frame in frames:
            self.ring.append(frame)
        now, due = self._clock(), self._last_wake + self._commit_gap()
        if due <= now:
            self._wake_readers(now)
        else:
            self._wake_by(due)

    def publish(self, envelope: Envelope) -> None:
        """A transient event: encoded once, seen by readers at the end of the tick."""
        data = orjson.dumps(to_wire(envelope))
        self.ring.append(Frame(None, envelope.room_id, envelope.type, data))
        now, end_of_tick = self._clock(), self._last_wake + TICK_SECONDS
        self._wake_by(end_of_tick if end_of_tick > now else now + TICK_SECONDS)

    def release(self, reason: str) -> None:
        """End every stream and every wait, for good; the first reason stands."""
        if self.released is None:
            self.released = reason
            self._release.set()
            self._wake_readers(self._clock())

    def live_begin(self, turn_id: str, show: Show) -> None:
        """A turn begins to show something; `show` says what, at the moment somebody joins."""
        self._live.begin(turn_id, show)

    def live_end(self, turn_id: str) -> None:
        """A turn has ended; what it showed is durable or gone."""
        self._live.end(turn_id)

    # --- readers ----------------------------------------------------------------------------

    def live(self, turn_id: str) -> LiveTurn | None:
        """What a running turn shows so far; None for a turn that shows nothing."""
        return self._live.get(turn_id)

    def subscribe(self, room_id: str, cursor: int, replay: Replay | None = None) -> Subscription:
        """A reader of everything durable above `cursor`, and of what is transient from now on
        (or as `replay` says). The ring must know its `through_seq` by now (`ring.learn`).
        """
        return Subscription(self, room_id, cursor, replay or Replay(transients_from=self.ring.end))

    def slice(self, room_id: str, position: int, encode: Encode[T], replay: Replay) -> Slice[T]:
        """The visible frames from `position`, made once for all who stand there."""
        replay = replay.at(position)
        key = (encode, room_id, position, replay)
        found = self._shared.get(key)
        if found is not None:
            return cast("Slice[T]", found)
        chosen: list[Frame] = []
        size, end = 0, position
        for frame in self.ring.frames(position, self.visible):
            if frame.room_id == room_id and replay.tells(frame, end):
                if chosen and size + len(frame.data) > SLICE_BYTES:
                    break
                chosen.append(frame)
                size += len(frame.data)
            end += 1
        made = Slice(
            end=end,
            through_seq=self.ring.through_at(end),
            payload=encode(chosen) if chosen else None,
        )
        self._share(key, made, size)
        return made

    async def next_wake(self) -> None:
        """Until readers are woken once more."""
        await self._wake.wait()

    async def wait_released(self) -> None:
        """Until every stream is to end."""
        await self._release.wait()

    # --- the tick ---------------------------------------------------------------------------

    async def tick(self) -> None:
        """Wait until something is pending, then wake readers when its time has come."""
        await self._pending.wait()
        while self._wake_at is not None:
            if self._wake_at <= (now := self._clock()):
                self._wake_readers(now)
            else:
                with trio.move_on_after(self._wake_at - now):
                    await self._pending.wait()

    def _commit_gap(self) -> float:
        readers = max(1, self._wake.statistics().tasks_waiting)
        return min(TICK_SECONDS, readers * READER_SECONDS)

    def _wake_by(self, moment: float) -> None:
        if self._wake_at is None or moment < self._wake_at:
            self._wake_at = moment
            self._pending.ring()

    def _wake_readers(self, now: float) -> None:
        self._last_wake, self._wake_at = now, None
        self.visible = self.ring.end
        self._forget_shared()
        woken, self._wake = self._wake, trio.Event()
        woken.set()

    def _share(self, key: Place, made: Slice[Any], size: int) -> None:
        if self._shared_bytes + size > self._max_shared_bytes:
            self._forget_shared()
        self._shared[key] = made
        self._shared_bytes += size

    def _forget_shared(self) -> None:
        self._shared.clear()
        self._shared_bytes = 0


class EventHubActor:
    """The hub's only task: it ends the ticks. Asleep while nothing is pending."""

    def __init__(self, hub: EventHub) -> None:
        self.hub = hub

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            await self.hub.tick()
