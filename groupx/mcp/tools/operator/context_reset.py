"""context_reset: the room's agents are told nothing of before any more."""

from pydantic import Field

from groupx.actors.messages import ResetRoom
from groupx.domain.wire import to_wire
from groupx.mcp.operating import Command, command_id
from groupx.mcp.tool import Answer, Call, Tool


class Reset(Command):
    """How far it goes."""

    reset_native_sessions: bool = Field(
        False, description="Also begin a new session of every agent's program, once it is idle."
    )


async def _reset(call: Call, given: Reset) -> Answer:
    done = await call.room.broker.ask(
        ResetRoom(
            client_command_id=command_id(call, given),
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            reset_native_sessions=given.reset_native_sessions,
        )
    )
    return to_wire(done)


CONTEXT_RESET = Tool(
    name="context_reset",
    description="From now on agents are told nothing that was said before, and no checkpoint of "
    "it. Nothing is removed: the room still shows it, and memories stay. What an agent's program "
    "keeps in its own session ends only with resetNativeSessions. `changed` is false when nothing "
    "was said since the last one.",
    arguments=Reset,
    run=_reset,
)
