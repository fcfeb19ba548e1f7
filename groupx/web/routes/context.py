"""GET /api/context and its commands: how full the context is, making it smaller or anew."""

from groupx.actors.messages import CancelCompaction, CompactContext, MeasureContext, ResetRoom
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def read_context(services: Services, call: Call) -> Answer:
    """A ContextView of the active room, in characters."""
    return json_answer(await services.context.ask(MeasureContext()))


async def compact_context(services: Services, call: Call) -> Answer:
    """202 `{compactionId}` once it has begun. STORE_CONFLICT when there is nothing to compact."""
    message = CompactContext(client_command_id=call.body["clientCommandId"])
    return json_answer(await services.broker.ask(message), 202)


async def cancel_compaction(services: Services, call: Call) -> Answer:
    """`{compactionId}` of the one that ended. STORE_CONFLICT when none runs."""
    message = CancelCompaction(client_command_id=call.body["clientCommandId"])
    return json_answer(await services.broker.ask(message))


async def reset_context(services: Services, call: Call) -> Answer:
    """`{throughSeq, changed}`; 202 while agents still leave their native sessions."""
    message = ResetRoom(
        client_command_id=call.body["clientCommandId"],
        reset_native_sessions=call.body.get("resetNativeSessions", False),
    )
    done = await services.broker.ask(message)
    return json_answer(done, 202 if done.changed and message.reset_native_sessions else 200)


HANDLERS = {
    "context": read_context,
    "compact_context": compact_context,
    "cancel_compaction": cancel_compaction,
    "reset_context": reset_context,
}
