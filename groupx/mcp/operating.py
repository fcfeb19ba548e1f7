"""What the operator's tools share: whom they address, and under which command."""

from pydantic import Field

from groupx.actors.messages import Read
from groupx.domain.ids import RoomId
from groupx.domain.limits import MAX_TARGETS
from groupx.mcp.supervising import Observers
from groupx.mcp.tool import Arguments, Call
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
