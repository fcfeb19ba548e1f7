"""worker_ask: work for agents, and a wait for what they answer."""

from pydantic import Field

from groupx.mcp.answers import answers
from groupx.mcp.ends import Ends
from groupx.mcp.operating import room_of, until_ended
from groupx.mcp.tool import Answer, Call, Tool
from groupx.mcp.tools.operator.worker_dispatch import Dispatch, dispatch

MAX_MS = 50_000
NOTE = (
    "Pending turns go on and answer in the room: `read` with this correlationId later. Do not "
    "dispatch the same again."
)


class WorkerAsk(Dispatch):
    """What is asked, of whom, and how long the call may stay."""

    timeout_ms: int = Field(
        MAX_MS, ge=0, le=MAX_MS, description="How long to wait, in milliseconds."
    )


async def _worker_ask(call: Call, given: WorkerAsk) -> Answer:
    room_id = await room_of(call)
    ends = Ends(call.room.hub, room_id)
    accepted = await dispatch(call, given, "worker_ask")
    message_event_id = accepted.message_event_id
    turns = await until_ended(call, ends, room_id, message_event_id, given.timeout_ms / 1000)
    told = {**answers(message_event_id, turns), "correlationId": accepted.correlation_id}
    return {**told, "note": NOTE} if "note" in told else told


WORKER_ASK = Tool(
    name="worker_ask",
    description="Give work to agents as `worker_dispatch` does, and wait for their answers, up to "
    "50 seconds. A target that has not answered by then is reported as pending: its turn goes on.",
    arguments=WorkerAsk,
    run=_worker_ask,
)
