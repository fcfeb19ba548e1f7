"""How a stream begins: where the room stands, and whether the client's cursor is of it."""

from collections.abc import Sequence

import attrs

from groupx.actors.event_hub import EventHub
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore
from groupx.actors.subscription import Replay, Subscription
from groupx.domain.ids import RoomId
from groupx.domain.views import TurnView
from groupx.store.queries.stream_start import stream_start


@attrs.frozen(kw_only=True)
class Opening:
    """A stream that is about to begin."""

    room_id: RoomId
    through_seq: int
    """The newest event of the ledger that `active_turns` are as of."""
    reset: bool
    """The client's cursor lies in the future: it is of another ledger, or made up."""
    active_turns: Sequence[TurnView]
    subscription: Subscription


async def open_stream(
    hub: EventHub,
    store: ActorRef[ToStore],
    *,
    room_id: RoomId | None = None,
    after_seq: int | None = None,
    replay_deltas: bool = False,
) -> Opening:
    """Subscribe above `after_seq` (None: live from now) in the named or the active room.

    Transient events come from this moment on; with `replay_deltas` also the deltas since the
    cursor, for a client that learned of running turns earlier. Raises NOT_FOUND, STORE_BUSY,
    STORE_UNAVAILABLE.
    """
    # Taken before the read, so that what a turn shows between the two is seen twice (and told
    # apart by chunkIndex) rather than not at all.
    transients_from = hub.ring.end
    start = await store.ask(Read(stream_start, room_id))
    hub.ring.learn(start.through_seq)
    reset = after_seq is not None and after_seq > start.through_seq
    # Not what the ring knows by now: what happened since the snapshot is not in `active_turns`.
    cursor = start.through_seq if after_seq is None or reset else after_seq
    replay = Replay(transients_from=transients_from, deltas=replay_deltas)
    return Opening(
        room_id=start.room_id,
        through_seq=start.through_seq,
        reset=reset,
        active_turns=start.turns,
        subscription=hub.subscribe(start.room_id, cursor, replay),
    )
