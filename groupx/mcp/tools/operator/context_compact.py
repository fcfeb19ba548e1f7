"""context_compact: older messages become one checkpoint."""

from groupx.actors.messages import CompactContext
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Command, command_id
from groupx.mcp.tool import Answer, Call, Tool


class Compact(Command):
    """It is always about the active room."""


async def _compact(call: Call, given: Compact) -> Answer:
    begun = await call.room.broker.ask(
        CompactContext(
            client_command_id=command_id(call, given),
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
        )
    )
    return to_wire(begun)


CONTEXT_COMPACT = Tool(
    name="context_compact",
    description="Have an agent's program write a checkpoint of everything but the newest messages, "
    "which packets then carry in their place. Nothing is removed. This answers at once; "
    "`room_status` shows when the context got smaller.",
    arguments=Compact,
    run=_compact,
)
