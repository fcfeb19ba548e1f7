"""GET /api/context and its commands: how full the room's context is, and beginning it anew."""

from groupx.actors.messages import MeasureContext, ResetRoom
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def read_context(services: Services, call: Call) -> Answer:
    """A ContextView of the active room, in characters."""
    return json_answer(await services.context.ask(MeasureContext()))


async def reset_context(services: Services, call: Call) -> Answer:
    """`{throughSeq, changed}`; 202 while agents still leave their native sessions."""
    message = ResetRoom(
        client_command_id=call.body["clientCommandId"],
        reset_native_sessions=call.body.get("resetNativeSessions", False),
    )
    done = await services.broker.ask(message)
    return json_answer(done, 202 if done.changed and message.reset_native_sessions else 200)


HANDLERS = {"context": read_context, "reset_context": reset_context}
