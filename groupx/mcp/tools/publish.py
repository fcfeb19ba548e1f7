"""publish: say something to the room and wake nobody."""

from pydantic import Field

from groupx.actors.messages import MemberPublish
from groupx.mcp.calling import turn_of
from groupx.mcp.tool import Answer, Arguments, Call, Tool


class Publish(Arguments):
    """What is said."""

    content: str = Field(description="What is said, as Markdown.")
    reply_to_event_id: str | None = Field(
        None, description="The event it answers; if left out, what your turn answers."
    )
    client_command_id: str | None = Field(
        None, description="The same id again does it only once and answers the same."
    )


async def _publish(call: Call, given: Publish) -> Answer:
    turn = await turn_of(call)
    answer = await call.room.broker.ask(
        MemberPublish(
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            parent_turn_id=turn.turn_id,
            client_command_id=given.client_command_id,
            content=given.content,
            reply_to_event_id=given.reply_to_event_id or turn.source_event_id,
        )
    )
    return {"messageEventId": answer.message_event_id, "correlationId": answer.correlation_id}


PUBLISH = Tool(
    name="publish",
    description="Say something that everybody in the room can read. It is stored, wakes nobody "
    "and starts no work. What you answer in your turn is shown anyway.",
    arguments=Publish,
    run=_publish,
)
