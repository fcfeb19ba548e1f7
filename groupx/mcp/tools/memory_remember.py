"""memory_remember: something that all agents of the room are told from now on."""

from typing import Literal

from pydantic import Field

from groupx.domain.memory_commands import MemoryDraft
from groupx.mcp.calling import turn_of
from groupx.mcp.remembering import DEFAULT_KIND, ToKeep, actor_named, keep
from groupx.mcp.tool import Answer, Call, Tool


class MemoryRemember(ToKeep):
    """What is remembered, and for whom."""

    scope: Literal["room", "correlation"] = Field(
        "room", description="For the room, or only for the interaction that your turn belongs to."
    )
    subject: str | None = Field(None, description="Whom it is about, if it is about an agent.")


async def _memory_remember(call: Call, given: MemoryRemember) -> Answer:
    turn = await turn_of(call)
    draft = MemoryDraft(
        layer=given.scope,
        kind=given.kind or DEFAULT_KIND,
        content=given.content,
        subject_actor_id=None if given.subject is None else actor_named(given.subject),
        source_event_id=given.source_event_id,
    )
    return await keep(call, turn, given, draft, family="memory", layer=given.scope)


MEMORY_REMEMBER = Tool(
    name="memory_remember",
    description="Keep something for the room: it is stored under your name, everybody can read "
    "it, and it is told to the room's agents in their turns. Nobody is woken.",
    arguments=MemoryRemember,
    run=_memory_remember,
)
