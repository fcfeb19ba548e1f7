"""core_memory_remember: something that the caller is told in all its turns."""

from groupx.domain.memory_commands import MemoryDraft
from groupx.mcp.calling import turn_of
from groupx.mcp.remembering import DEFAULT_KIND, ToKeep, keep
from groupx.mcp.tool import Answer, Call, Tool


class CoreMemoryRemember(ToKeep):
    """What is remembered; it is always the caller's own."""


async def _core_memory_remember(call: Call, given: CoreMemoryRemember) -> Answer:
    turn = await turn_of(call)
    draft = MemoryDraft(
        layer="core",
        kind=given.kind or DEFAULT_KIND,
        content=given.content,
        source_event_id=given.source_event_id,
    )
    return await keep(call, turn, given, draft, family="memory", layer="core")


CORE_MEMORY_REMEMBER = Tool(
    name="core_memory_remember",
    description="Keep something in your own core memory: you are told it in every turn, also in "
    "later rooms, and no other agent is. The user can read and change it.",
    arguments=CoreMemoryRemember,
    run=_core_memory_remember,
)
