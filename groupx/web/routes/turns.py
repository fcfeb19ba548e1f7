"""/api/turns/:id…: look at a turn, stop it, or run it again."""

from typing import Literal

from groupx.actors.messages import CancelTurn, Read, RunAgain
from groupx.store.queries.turn_detail import turn_detail
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def turn(services: Services, call: Call) -> Answer:
    """The turn, its attempts and its cause chain. NOT_FOUND."""
    return json_answer(await services.store.ask(Read(turn_detail, call.segments["turn_id"])))


async def cancel_turn(services: Services, call: Call) -> Answer:
    """Answered in every state; the outcome is the terminal event."""
    command = CancelTurn(
        client_command_id=call.body["clientCommandId"],
        turn_id=call.segments["turn_id"],
        force=call.body.get("force", False),
    )
    return json_answer(await services.broker.ask(command), 202)


async def retry_turn(services: Services, call: Call) -> Answer:
    """Send an ended turn's message again, as a new turn."""
    return await _again(services, call, "retry")


async def continue_turn(services: Services, call: Call) -> Answer:
    """Say "continue" to an ended turn's agent, as a new turn."""
    return await _again(services, call, "continue")


async def _again(services: Services, call: Call, kind: Literal["retry", "continue"]) -> Answer:
    command = RunAgain(
        client_command_id=call.body["clientCommandId"],
        kind=kind,
        turn_id=call.segments["turn_id"],
    )
    return json_answer(await services.broker.ask(command), 202)


HANDLERS = {
    "turn": turn,
    "cancel_turn": cancel_turn,
    "retry_turn": retry_turn,
    "continue_turn": continue_turn,
}
