"""send: a message that wakes agents, without waiting for them."""

from pydantic import Field

from groupx.actors.messages import MemberSend
from groupx.domain.limits import MAX_TARGETS
from groupx.domain.wire import to_wire
from groupx.mcp.calling import turn_of
from groupx.mcp.supervising import Observers, supervision_of
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Arguments, Call, Tool


class Send(Arguments):
    """What is said, and to whom."""

    to: tuple[str, ...] = Field(
        min_length=1,
        max_length=MAX_TARGETS,
        description='Who is woken: agent ids such as "reviewer", or only "@all".',
    )
    content: str = Field(description="What they are told, as Markdown.")
    reply_to_event_id: str | None = Field(
        None, description="The event it answers; if left out, what your turn answers."
    )
    client_command_id: str | None = Field(
        None, description="The same id again does it only once and answers the same."
    )
    wake_me: bool = Field(
        False, description="Whether you get a turn of your own when one of theirs has ended."
    )
    supervision: Observers | None = Field(
        None, description="Other agents that watch the work while it is done, and may steer it."
    )


async def _send(call: Call, given: Send) -> Answer:
    turn = await turn_of(call)
    answer = await call.room.broker.ask(
        MemberSend(
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            parent_turn_id=turn.turn_id,
            client_command_id=given.client_command_id,
            to=wire_names(given.to),
            content=given.content,
            reply_to_event_id=given.reply_to_event_id or turn.source_event_id,
            wake_me=given.wake_me,
            supervision=supervision_of(given.supervision),
        )
    )
    return to_wire(answer)


SEND = Tool(
    name="send",
    description="Send a message to agents of the room. Each gets a turn of its own, in the order "
    "of its queue, and this answers at once with their places. What they say is shown in the "
    "room; `collect` with the messageEventId gives it to you.",
    arguments=Send,
    run=_send,
)
