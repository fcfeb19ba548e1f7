"""memory_search: what the room and the caller remember."""

from typing import Literal

from pydantic import Field

from groupx.actors.messages import Read
from groupx.domain.memory import AgentMemoryType, Kind, ScopeType
from groupx.domain.memory_commands import MemoryQuery
from groupx.mcp.calling import turn_of
from groupx.mcp.remembering import DEADLINE_MS, MAX_SHOWN, actor_named, told
from groupx.mcp.tool import Answer, Arguments, Call, Tool
from groupx.store.queries.memories import memories

Scope = Literal["room", "correlation", "core", "dated"]
_SCOPES: dict[Scope, tuple[ScopeType, AgentMemoryType | None]] = {
    "room": ("room", None),
    "correlation": ("correlation", None),
    "core": ("agent", "core"),
    "dated": ("agent", "dated"),
}


class MemorySearch(Arguments):
    """Which memories."""

    query: str | None = Field(
        None, max_length=400, description="Words that must all be in it; without, the newest."
    )
    scope: Scope | None = Field(
        None, description="The room's, an interaction's, your own core, or your own of past days."
    )
    kind: Kind | None = Field(None, description="Only this sort of statement.")
    by: str | None = Field(
        None, description='Only what this author wrote: an agent id, or "user:web" for the user.'
    )
    history: bool = Field(False, description="Also what was superseded or retracted.")
    limit: int = Field(20, ge=1, le=MAX_SHOWN, description="How many at most.")
    before: str | None = Field(None, description="A `nextBefore`: gives the next page.")


async def _memory_search(call: Call, given: MemorySearch) -> Answer:
    turn = await turn_of(call)
    scope_type, memory_type = _SCOPES[given.scope] if given.scope else (None, None)
    query = MemoryQuery(
        room_id=turn.room_id,
        reader=call.caller.actor_id,
        words=given.query,
        scope_type=scope_type,
        agent_memory_type=memory_type,
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
    description="Find what this room remembers and what you remember yourself, the newest first, "
    "each with its author, subject and source. Another agent's own memories are not in it.",
    arguments=MemorySearch,
    run=_memory_search,
)
