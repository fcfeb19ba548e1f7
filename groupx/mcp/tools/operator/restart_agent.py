"""restart_agent: one agent's program, ended and started anew."""

from pydantic import Field

from groupx.actors.messages import ControlAgentCommand
from groupx.domain.ids import ActorId
from groupx.mcp.operating import Command, command_id
from groupx.mcp.projections import agent_told
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Call, Tool


class Restart(Command):
    """Which agent."""

    agent: str = Field(description='Its id, such as "reviewer".')


async def _restart(call: Call, given: Restart) -> Answer:
    [name] = wire_names([given.agent])
    view = await call.room.broker.ask(
        ControlAgentCommand(
            client_command_id=command_id(call, given),
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            agent=ActorId(name),
            action="restart",
        )
    )
    return {"agent": agent_told(view)}


RESTART_AGENT = Tool(
    name="restart_agent",
    description="End an agent's program and start it anew. Its running turn is stopped first; what "
    "is queued for it waits. This answers at once; `room_status` shows when it is ready.",
    arguments=Restart,
    run=_restart,
)
