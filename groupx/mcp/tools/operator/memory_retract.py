"""memory_retract: the room no longer remembers something."""

from pydantic import Field

from groupx.actors.messages import Retract
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Command
from groupx.mcp.tool import Answer, Call, Tool


class Taken(Command):
    """Which memory."""

    memory_id: str = Field(description="As `memory_search` shows it.")


async def _retract(call: Call, given: Taken) -> Answer:
    recorded = await call.room.broker.ask(
        Retract(
            client_command_id=given.client_command_id,
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            family="memory",
            record_id=given.memory_id,
        )
    )
    return to_wire(recorded)


MEMORY_RETRACT = Tool(
    name="memory_retract",
    description="Take back what the room remembers, whoever wrote it. Agents are not told it any "
    "more; it stays in the history. What agents keep for themselves is the user's to change.",
    arguments=Taken,
    run=_retract,
)
