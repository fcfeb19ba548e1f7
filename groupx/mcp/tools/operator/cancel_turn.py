"""cancel_turn: stop one agent's turn."""

from pydantic import Field

from groupx.actors.messages import CancelTurn
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Command, command_id
from groupx.mcp.tool import Answer, Call, Tool


class Cancel(Command):
    """Which turn."""

    turn_id: str = Field(description="As `room_status` shows it.")
    force: bool = Field(
        False, description="End the agent's program at once instead of asking it to stop."
    )


async def _cancel(call: Call, given: Cancel) -> Answer:
    answer = await call.room.broker.ask(
        CancelTurn(
            client_command_id=command_id(call, given),
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            turn_id=given.turn_id,
            force=given.force,
        )
    )
    return to_wire(answer)


CANCEL_TURN = Tool(
    name="cancel_turn",
    description="Stop a turn. A queued one is cancelled at once; a running one is asked to stop, "
    "and its outcome is shown in the room. What it did until then stands.",
    arguments=Cancel,
    run=_cancel,
)
