"""POST /api/lanes/:actorId/…: pause an agent's queue, or let it go on."""

from typing import Literal

from groupx.actors.messages import SetLane
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.routes.agents import addressed_agent
from groupx.web.services import Services


async def pause_lane(services: Services, call: Call) -> Answer:
    """Nothing of this queue is dispatched until it is resumed, even after a restart."""
    return await _set(services, call, "paused", 200)


async def resume_lane(services: Services, call: Call) -> Answer:
    """The queue goes on."""
    return await _set(services, call, "runnable", 202)


async def _set(
    services: Services, call: Call, state: Literal["runnable", "paused"], status: int
) -> Answer:
    command = SetLane(
        client_command_id=call.body["clientCommandId"],
        lane=addressed_agent(call.segments["agent"]),
        state=state,
        reason=call.body.get("reason"),
    )
    return json_answer({"agent": await services.broker.ask(command)}, status)


HANDLERS = {"pause_lane": pause_lane, "resume_lane": resume_lane}
