"""send: a message of the assistant in the room, for all to read."""

from pydantic import Field

from groupx.actors.messages import SendMessage
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Work, command_id
from groupx.mcp.supervising import supervision_of
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Call, Tool


class OperatorSend(Work):
    """What is said, and to whom."""

    content: str = Field(description="What is said, as Markdown.")
    reply_to_event_id: str | None = Field(None, description="The event it answers.")


async def _send(call: Call, given: OperatorSend) -> Answer:
    answer = await call.room.broker.ask(
        SendMessage(
            client_command_id=command_id(call, given),
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            to=wire_names(given.to),
            content=given.content,
            reply_to_event_id=given.reply_to_event_id,
            supervision=supervision_of(given.supervision),
        )
    )
    return to_wire(answer)


SEND = Tool(
    name="send",
    description="Say something in the room, where everybody reads it under the assistant's name, "
    "and wake agents with it. Each gets a turn of its own, and this answers at once.",
    arguments=OperatorSend,
    run=_send,
)
