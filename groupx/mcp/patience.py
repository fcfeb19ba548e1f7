"""A call that stays for turns to end: bounded, heard of while it waits, let go at a stop."""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

import attrs
import trio

from groupx.actors.messages import CancelTurn, Read, Write
from groupx.actors.steadfast import insist
from groupx.domain.completion import ReleaseInline
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import RoomId
from groupx.domain.turns import TurnStatus
from groupx.mcp.bounds import CONTENT_BYTES
from groupx.mcp.ends import Ends
from groupx.mcp.tool import Call
from groupx.store.queries.called_turns import CalledQuery, CalledTurn, called_turns
from groupx.store.queries.turn_status import turn_status
from groupx.store.transactions.completion import release_inline

PROGRESS_SECONDS = 10.0
LAST_WRITE_SECONDS = 5.0
LOOK_SECONDS = 5.0
"""However busy the store is: a call that has sent something must not end as if it had not."""
_STOPPED = frozenset({TurnStatus.CANCELLING, TurnStatus.CANCELLED})


async def turns_of(call: Call, room_id: RoomId, message_event_id: str) -> tuple[CalledTurn, ...]:
    """The turns of a message of the caller as they are now. STORE_BUSY when that cannot be known:
    they go on."""
    query = CalledQuery(
        message_event_id=message_event_id,
        room_id=room_id,
        author=call.caller.actor_id,
        characters=CONTENT_BYTES,
    )
    with trio.move_on_after(LOOK_SECONDS):
        return await insist(call.room.store, Read(called_turns, query))
    raise GroupXError(
        ErrorCode.STORE_BUSY,
        "The message is stored and its turns go on, but the store was too busy to say how they "
        "stand. Collect them by the messageEventId; do not send the message again.",
        messageEventId=message_event_id,
    )


@attrs.frozen(kw_only=True)
class Waiting:
    """What is waited for, out of which turn."""

    call: Call
    by_turn_id: str
    room_id: RoomId
    message_event_id: str
    ends: Ends
    """Registered before any of the turns was looked at."""

    async def look(self) -> tuple[CalledTurn, ...]:
        """The turns as they are now. STORE_BUSY when that cannot be known: they go on."""
        return await turns_of(self.call, self.room_id, self.message_event_id)

    async def until_ended(
        self, seconds: float, turns: tuple[CalledTurn, ...], wanted: Callable[[CalledTurn], bool]
    ) -> tuple[CalledTurn, ...]:
        """The turns once all that are wanted have ended, the time is over or the room stops."""
        with trio.move_on_after(seconds):
            while open_ones := {t.turn_id for t in turns if wanted(t) and not t.ended}:
                if self.ends.over or await self._is_stopped():
                    break
                await self._next_end(open_ones | {self.by_turn_id})
                turns = await self.look()
        return turns

    async def _next_end(self, turn_ids: AbstractSet[str]) -> None:
        while True:
            with trio.move_on_after(PROGRESS_SECONDS) as quiet:
                await self.ends.next_of(turn_ids)
            if not quiet.cancelled_caught:
                return
            await self.call.tell(f"waiting for {len(turn_ids) - 1} of the turns")
            if await self._is_stopped():
                return

    async def _is_stopped(self) -> bool:
        status = await insist(self.call.room.store, Read(turn_status, self.by_turn_id))
        return status in _STOPPED

    async def let_go(self, turn_ids: Iterable[str]) -> None:
        """Nobody waits any more: whoever asked to be woken is, and a caller that was cancelled
        cancels what it waited for, as far as that is still possible."""
        still_open = tuple(turn_ids)
        if not still_open:
            return
        with trio.move_on_after(LAST_WRITE_SECONDS, shield=True):
            released = ReleaseInline(child_turn_ids=still_open, by_turn_id=self.by_turn_id)
            await self.call.room.store.ask(Write(release_inline, released))
            if await self._is_stopped():
                for turn_id in still_open:
                    await self.cancel(turn_id)

    async def cancel(self, turn_id: str) -> None:
        """Stop one of the turns, in the caller's name."""
        caller = self.call.caller
        await self.call.room.broker.ask(
            CancelTurn(
                client_command_id=f"cancel:{turn_id}",
                binding_id=caller.binding_id,
                actor_id=caller.actor_id,
                turn_id=turn_id,
            )
        )
