"""A call that stays for turns to end: bounded, and heard of while it waits."""

from collections.abc import Callable

import attrs
import trio
from pydantic import Field

from groupx.actors.messages import Read
from groupx.actors.steadfast import insist
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.turns import TurnStatus
from groupx.mcp.bounds import CONTENT_BYTES
from groupx.mcp.ends import Ends
from groupx.mcp.liveness import heard_of
from groupx.mcp.tool import Arguments, Call
from groupx.store.queries.called_turns import CalledQuery, CalledTurn, called_turns
from groupx.store.queries.turn_status import turn_status

MAX_MS = 50_000
"""Of any wait: clients give a call up after a minute."""
AT_MOST = f"{MAX_MS // 1000} seconds"
LOOK_SECONDS = 5.0
"""However busy the store is: a call that has sent something must not end as if it had not."""
_STOPPED = frozenset({TurnStatus.CANCELLING, TurnStatus.CANCELLED})


class Patient(Arguments):
    """Of a tool that waits: how long the call may stay."""

    timeout_ms: int = Field(
        MAX_MS, ge=0, le=MAX_MS, description="How long to wait, in milliseconds."
    )

    def seconds(self, bound_ms: int) -> float:
        """The same in seconds, or the room's own bound if that is shorter."""
        return min(self.timeout_ms, bound_ms) / 1000


def anyone(_: CalledTurn) -> bool:
    """Every turn is waited for."""
    return True


@attrs.frozen(kw_only=True)
class Waiting:
    """What is waited for: the turns of a message of the caller."""

    call: Call
    room_id: RoomId
    message_event_id: str
    ends: Ends
    """Registered before any of the turns was looked at."""
    by_turn_id: str | None = None
    """The turn that the call comes out of; once it is stopped, nobody waits."""

    async def look(self) -> tuple[CalledTurn, ...]:
        """The turns as they are now. STORE_BUSY when that cannot be known: they go on."""
        query = CalledQuery(
            message_event_id=self.message_event_id,
            room_id=self.room_id,
            author=self.call.caller.actor_id,
            characters=CONTENT_BYTES,
        )
        with trio.move_on_after(LOOK_SECONDS):
            return await insist(self.call.room.store, Read(called_turns, query))
        raise GroupXError(
            ErrorCode.STORE_BUSY,
            "The message is stored and its turns go on, but the store was too busy to say how "
            "they stand. Collect them by the messageEventId; do not send the message again.",
            messageEventId=self.message_event_id,
        )

    async def until_ended(
        self, seconds: float, wanted: Callable[[CalledTurn], bool] = anyone
    ) -> tuple[CalledTurn, ...]:
        """The turns, as last seen, once all that are wanted have ended or wait for the caller
        themselves, the time is over, the caller is stopped or the room stops."""
        turns = await self.look()
        waits = self.call.room.waits

        def still_open() -> set[str]:
            return {
                turn.turn_id
                for turn in turns
                if wanted(turn) and not turn.ended and not waits.waits_for(turn, self.by_turn_id)
            }

        async def wait() -> None:
            nonlocal turns
            with waits.one(self.by_turn_id) as mine, trio.move_on_after(seconds):
                while (open_ones := still_open()) and not await self._is_in_vain():
                    mine.for_turns = tuple(turn for turn in turns if turn.turn_id in open_ones)
                    await self.ends.next_of(open_ones, self.by_turn_id)
                    turns = await self.look()

        await heard_of(self.call, lambda: f"waiting for {len(still_open())} of the turns", wait)
        return turns

    async def _is_in_vain(self) -> bool:
        return self.ends.over or await self._is_stopped()

    async def _is_stopped(self) -> bool:
        return self.by_turn_id is not None and await is_stopped(self.call, self.by_turn_id)


async def is_stopped(call: Call, turn_id: str) -> bool:
    """Whether the turn that a call came out of was cancelled."""
    status = await insist(call.room.store, Read(turn_status, turn_id))
    return status in _STOPPED
