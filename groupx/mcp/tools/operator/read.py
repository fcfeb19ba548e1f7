"""read: what was said in the room, as the operator reads it."""

from pydantic import Field

from groupx.actors.messages import Read
from groupx.mcp.operating import room_of
from groupx.mcp.tool import Answer, Arguments, Call, Tool
from groupx.mcp.tools.read import page_told, read_content
from groupx.store.queries.public_events import PublicQuery, public_events

DEFAULT_EVENTS = 20
MAX_EVENTS = 100
CHARACTERS = 2_000
"""Of each message."""


class OperatorRead(Arguments):
    """Which part of the room's history."""

    correlation_id: str | None = Field(None, description="Only what belongs to this interaction.")
    after_seq: int | None = Field(
        None, ge=0, description="Only what came after this seq; if left out, the newest events."
    )
    limit: int = Field(DEFAULT_EVENTS, ge=1, le=MAX_EVENTS, description="How many at most.")
    event_id: str | None = Field(
        None, description="Read one long message to its end instead, from `offset` on."
    )
    offset: int = Field(0, ge=0, description="With eventId: how many characters to leave out.")


async def _read(call: Call, given: OperatorRead) -> Answer:
    room_id = await room_of(call)
    if given.event_id is not None:
        return await read_content(call, room_id, given.event_id, given.offset)
    query = PublicQuery(
        room_id=room_id,
        limit=given.limit,
        characters=CHARACTERS,
        after_seq=given.after_seq,
        correlation_id=given.correlation_id,
    )
    found = await call.room.store.ask(Read(public_events, query))
    return page_told(found, query)


READ = Tool(
    name="read",
    description="Read what was said in the room and how turns went. Reasoning and tool use are not "
    f"in it. Messages are cut at {CHARACTERS} characters; with eventId and offset the rest can be "
    "read.",
    arguments=OperatorRead,
    run=_read,
)
