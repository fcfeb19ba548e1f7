"""POST /api/agents/:id/…: start, stop or restart one agent."""

from typing import Literal

from groupx.actors.messages import ControlAgentCommand
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import AGENT_PREFIX, ActorId, agent_actor, is_agent_id
from groupx.web.errors import Answer, json_answer, quoted
from groupx.web.guards import Call
from groupx.web.services import Services


def addressed_agent(segment: str) -> ActorId:
    """The agent that a path names as `agent:<id>` or `<id>`. UNKNOWN_TARGET."""
    agent_id = segment.removeprefix(AGENT_PREFIX)
    if not is_agent_id(agent_id):
        raise GroupXError(
            ErrorCode.UNKNOWN_TARGET,
            f"{quoted(segment)} cannot be an agent's id, so nothing was done. "
            "Agents are named agent:<id>.",
        )
    return agent_actor(agent_id)


async def start_agent(services: Services, call: Call) -> Answer:
    """Start a stopped or failed agent."""
    return await _control(services, call, "start")


async def stop_agent(services: Services, call: Call) -> Answer:
    """Stop an agent; what is queued for it waits."""
    return await _control(services, call, "stop")


async def restart_agent(services: Services, call: Call) -> Answer:
    """Stop an agent and start it anew."""
    return await _control(services, call, "restart")


async def _control(
    services: Services, call: Call, action: Literal["start", "stop", "restart"]
) -> Answer:
    command = ControlAgentCommand(
        client_command_id=call.body["clientCommandId"],
        agent=addressed_agent(call.segments["agent"]),
        action=action,
    )
    return json_answer({"agent": await services.broker.ask(command)}, 202)


HANDLERS = {
    "start_agent": start_agent,
    "stop_agent": stop_agent,
    "restart_agent": restart_agent,
}
