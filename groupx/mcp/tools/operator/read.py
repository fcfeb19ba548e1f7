"""read: what was said in the room, as the operator reads it."""

from pydantic import Field

from groupx.mcp.operating import room_of
from groupx.mcp.tool import Answer, Call, Tool
from groupx.mcp.tools.read import ReadRoom, read_room

DEFAULT_EVENTS = 20
MAX_EVENTS = 100
CHARACTERS = 2_000
"""Of each message."""


class OperatorRead(ReadRoom):
    """Which part of the room's history."""

    limit: int = Field(DEFAULT_EVENTS, ge=1, le=MAX_EVENTS, description="How many at most.")


async def _read(call: Call, given: OperatorRead) -> Answer:
    return await read_room(call, await room_of(call), given, CHARACTERS)


READ = Tool(
    name="read",
    description="Read what was said in the room and how turns went. Reasoning and tool use are not "
    f"in it. Messages are cut at {CHARACTERS} characters; with eventId and offset the rest can be "
    "read.",
    arguments=OperatorRead,
    run=_read,
)
