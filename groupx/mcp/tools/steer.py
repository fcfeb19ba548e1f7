"""steer: guidance for a worker, out of a watch turn."""

from pydantic import Field

from groupx.actors.messages import SteerTurn
from groupx.domain.steering import MAX_REASON_CHARACTERS, SteerAction
from groupx.domain.wire import to_wire
from groupx.mcp.calling import turn_of
from groupx.mcp.tool import Answer, Arguments, Call, Tool


class Steer(Arguments):
    """Whom to guide, how, why and with which words."""

    subject_turn_id: str | None = Field(
        None, description="A worker's turn of your pair; may be left out while only one is open."
    )
    action: SteerAction = Field(
        description="nudge: the guidance waits until the worker's running turn has ended. "
        "interrupt: that whole turn is also cancelled."
    )
    reason: str = Field(
        description=f"Why, for those who read the room; at most {MAX_REASON_CHARACTERS} characters."
    )
    content: str = Field(description="What the worker is told, as Markdown.")
    client_command_id: str | None = Field(
        None, description="The same id again does it only once and answers the same."
    )


async def _steer(call: Call, given: Steer) -> Answer:
    turn = await turn_of(call)
    steered = await call.room.broker.ask(
        SteerTurn(
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            parent_turn_id=turn.turn_id,
            client_command_id=given.client_command_id,
            subject_turn_id=given.subject_turn_id,
            action=given.action,
            reason=given.reason,
            content=given.content,
        )
    )
    return to_wire(steered)


STEER = Tool(
    name="steer",
    description="In an observer's watch turn: send a worker guidance that everybody in the room "
    "can read. The worker gets a new turn for it, which you can watch too. Nothing is allowed or "
    "forbidden by it, and nobody's access changes. A turn can be steered only a few times; the "
    "answer says how often it was and how often it may be.",
    arguments=Steer,
    run=_steer,
)
