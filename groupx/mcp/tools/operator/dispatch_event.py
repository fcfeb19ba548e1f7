"""dispatch_event: a message that was said before becomes the work of agents."""

from pydantic import Field

from groupx.actors.messages import DispatchEvent
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Work
from groupx.mcp.supervising import supervision_of
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Call, Tool


class EventForWork(Work):
    """Which message, and who is to work on it."""

    event_id: str = Field(description="The eventId of a message, as `read` shows it.")


async def _dispatch_event(call: Call, given: EventForWork) -> Answer:
    answer = await call.room.broker.ask(
        DispatchEvent(
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            client_command_id=given.client_command_id,
            event_id=given.event_id,
            to=wire_names(given.to),
            supervision=supervision_of(given.supervision),
        )
    )
    return to_wire(answer)


DISPATCH_EVENT = Tool(
    name="dispatch_event",
    description="Give agents a message of this room that was said before as their work. It keeps "
    "its author, and nothing new is said. An agent that had it already is not given it again.",
    arguments=EventForWork,
    run=_dispatch_event,
)
