"""memory_remember: something that all agents of the room are told from now on."""

from pydantic import Field

from groupx.actors.messages import Remember
from groupx.domain.memory import MAX_RECORD_CHARACTERS, GivenKind
from groupx.domain.memory_commands import MemoryDraft
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Command
from groupx.mcp.remembering import DEFAULT_KIND, actor_named
from groupx.mcp.tool import Answer, Call, Tool


class RoomMemory(Command):
    """What is remembered."""

    content: str = Field(
        description=f"What is kept, as Markdown; at most {MAX_RECORD_CHARACTERS} characters."
    )
    kind: GivenKind = Field(DEFAULT_KIND, description="What sort of statement it is.")
    subject: str | None = Field(None, description="Whom it is about, if it is about an agent.")
    source_event_id: str | None = Field(None, description="The event of the room it comes from.")


async def _remember(call: Call, given: RoomMemory) -> Answer:
    draft = MemoryDraft(
        layer="room",
        kind=given.kind,
        content=given.content,
        subject_actor_id=None if given.subject is None else actor_named(given.subject),
        source_event_id=given.source_event_id,
    )
    recorded = await call.room.broker.ask(
        Remember(
            client_command_id=given.client_command_id,
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            draft=draft,
        )
    )
    return to_wire(recorded)


MEMORY_REMEMBER = Tool(
    name="memory_remember",
    description="Keep something for the room: it is stored under your name, everybody can read "
    "it, and it is told to the room's agents in their turns. Nobody is woken.",
    arguments=RoomMemory,
    run=_remember,
)
