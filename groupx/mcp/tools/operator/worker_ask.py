"""worker_ask: work for agents, and a wait for what they answer."""

from groupx.mcp.answers import answers
from groupx.mcp.ends import Ends
from groupx.mcp.operating import room_of
from groupx.mcp.patience import AT_MOST, Patient, Waiting
from groupx.mcp.tool import Answer, Call, Tool
from groupx.mcp.tools.operator.worker_dispatch import Dispatch, dispatch

NOTE = (
    "Pending turns go on and answer in the room: `read` with this correlationId later. Do not "
    "dispatch the same again."
)


class WorkerAsk(Dispatch, Patient):
    """What is asked, of whom, and how long the call may stay."""


async def _worker_ask(call: Call, given: WorkerAsk) -> Answer:
    room_id = await room_of(call)
    ends = Ends(call.room.hub, room_id)
    accepted = await dispatch(call, given, "worker_ask")
    waiting = Waiting(
        call=call, room_id=room_id, message_event_id=accepted.message_event_id, ends=ends
    )
    turns = await waiting.until_ended(given.seconds(call.room.timeouts.ask))
    told = answers(accepted.message_event_id, turns, go_on=NOTE)
    return {**told, "correlationId": accepted.correlation_id}


WORKER_ASK = Tool(
    name="worker_ask",
    description="Give work to agents as `worker_dispatch` does, and wait for their answers, up to "
    f"{AT_MOST}. A target that has not answered by then is reported as pending: its turn goes on.",
    arguments=WorkerAsk,
    run=_worker_ask,
)
