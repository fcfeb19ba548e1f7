"""The turn that a call belongs to: the one that its session is running now."""

from groupx.actors.messages import Read
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.mcp.tool import Call
from groupx.store.queries.calling_turn import Calling, CallingTurn, calling_turn


async def turn_of(call: Call) -> CallingTurn:
    """The caller's running turn; SESSION_NOT_AVAILABLE when it runs none."""
    caller = call.caller
    found = None
    if caller.instance_id is not None:
        query = Calling(actor_id=caller.actor_id, instance_id=caller.instance_id)
        found = await call.room.store.ask(Read(calling_turn, query))
    if found is None:
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE,
            "No turn of yours is running, so there is nothing this could belong to; nothing was "
            "done. What comes after a turn's end is too late: say it in your next turn.",
        )
    return found
