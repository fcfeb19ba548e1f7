"""What the operator's tools share: whom they address, under which command, and how they wait."""

import trio
from pydantic import Field

from groupx.actors.messages import Read
from groupx.domain.ids import RoomId
from groupx.domain.limits import MAX_TARGETS
from groupx.mcp.ends import Ends
from groupx.mcp.patience import PROGRESS_SECONDS, turns_of
from groupx.mcp.supervising import Observers
from groupx.mcp.tool import Arguments, Call
from groupx.store.queries.called_turns import CalledTurn
from groupx.store.queries.rooms import active_room_id


class Command(Arguments):
    """What changes something."""

    client_command_id: str | None = Field(
        None, description="The same id again does it only once and answers the same."
    )


class Work(Command):
    """To whom work is given."""

    to: tuple[str, ...] = Field(
        min_length=1,
        max_length=MAX_TARGETS,
        description='Who is woken: agent ids such as "reviewer", or only "@all".',
    )
    supervision: Observers | None = Field(
        None, description="Other agents that watch the work while it is done, and may steer it."
    )


def command_id(call: Call, given: Command) -> str:
    """Its own, or one that nothing else has."""
    return given.client_command_id or call.room.ids.new("cmd")


async def room_of(call: Call) -> RoomId:
    """The active room."""
    return await call.room.store.ask(Read(active_room_id, None))


async def until_ended(
    call: Call, ends: Ends, room_id: RoomId, message_event_id: str, seconds: float
) -> tuple[CalledTurn, ...]:
    """The turns of a dispatch once all have ended, the time is over or the daemon stops.

    `ends` was registered before the dispatch. The turns go on whatever becomes of the call.
    """
    turns = await turns_of(call, room_id, message_event_id)
    with trio.move_on_after(seconds):
        while (still_open := {turn.turn_id for turn in turns if not turn.ended}) and not ends.over:
            with trio.move_on_after(PROGRESS_SECONDS) as quiet:
                await ends.next_of(still_open)
            if quiet.cancelled_caught:
                await call.tell(f"waiting for {len(still_open)} of the turns")
            turns = await turns_of(call, room_id, message_event_id)
    return turns
