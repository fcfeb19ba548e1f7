"""worker_dispatch: work for agents, without a message of the room and without waiting."""

from pydantic import Field

from groupx.actors.messages import DispatchWork
from groupx.domain.commands import AcceptedMessage, DispatchOperation
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Work
from groupx.mcp.supervising import supervision_of
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Call, Tool


class Dispatch(Work):
    """What is to be done, and by whom."""

    content: str = Field(description="The task, as Markdown; the agents get it word for word.")


async def dispatch(call: Call, given: Dispatch, operation: DispatchOperation) -> AcceptedMessage:
    """Give the work; the turns that it made."""
    return await call.room.broker.ask(
        DispatchWork(
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            client_command_id=given.client_command_id,
            kind=operation,
            to=wire_names(given.to),
            content=given.content,
            supervision=supervision_of(given.supervision),
        )
    )


async def _worker_dispatch(call: Call, given: Dispatch) -> Answer:
    return to_wire(await dispatch(call, given, "worker_dispatch"))


WORKER_DISPATCH = Tool(
    name="worker_dispatch",
    description="Give work to agents. Each gets a turn of its own, in the order of its queue, and "
    "this answers at once with their places. It is kept in the room's record, folded, and is no "
    "message there; the agents' answers are shown in the room, and `read` with the correlationId "
    "gives them.",
    arguments=Dispatch,
    run=_worker_dispatch,
)
