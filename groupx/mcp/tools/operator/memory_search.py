"""memory_search: what the room remembers."""

from pydantic import Field

from groupx.actors.messages import Read
from groupx.domain.memory import Kind
from groupx.domain.memory_commands import MemoryQuery
from groupx.mcp.operating import room_of
from groupx.mcp.remembering import DEADLINE_MS, MAX_SHOWN, actor_named, told
from groupx.mcp.tool import Answer, Arguments, Call, Tool
from groupx.store.queries.memories import memories


class Search(Arguments):
    """Which memories."""

    query: str | None = Field(
        None, max_length=400, description="Words that must all be in it; without, the newest."
    )
    kind: Kind | None = Field(None, description="Only this sort of statement.")
    by: str | None = Field(
        None, description='Only what this author wrote: an agent id, or "user:web" for the user.'
    )
    history: bool = Field(False, description="Also what was superseded or retracted.")
    limit: int = Field(20, ge=1, le=MAX_SHOWN, description="How many at most.")
    before: str | None = Field(None, description="A `nextBefore`: gives the next page.")


async def _search(call: Call, given: Search) -> Answer:
    query = MemoryQuery(
        room_id=await room_of(call),
        reader=call.caller.actor_id,
        words=given.query,
        kind=given.kind,
        author=None if given.by is None else actor_named(given.by),
        history=given.history,
        before=given.before,
        limit=given.limit,
    )
    page = await call.room.store.ask(Read(memories, query, DEADLINE_MS))
    return told(page.records, page.next_before, "memoryId")


MEMORY_SEARCH = Tool(
    name="memory_search",
    description="Find what this room remembers, the newest first, each with its author, subject "
    "and source. What agents keep for themselves is not in it.",
    arguments=Search,
    run=_search,
)
