"""room_status: who is in the room, what each does, and what waits."""

from groupx.actors.messages import MeasureContext, Read
from groupx.domain.wire import to_wire
from groupx.mcp.projections import agent_told
from groupx.mcp.tool import Answer, Arguments, Call, Tool
from groupx.store.queries.room_status import room_status

_CONTEXT = (
    "estimatedCharacters", "maxCharacters", "utilizationPercent", "uncompactedMessageCount",
    "compactable",
)  # fmt: skip


class Nothing(Arguments):
    """It is always about the active room."""


async def _status(call: Call, _: Nothing) -> Answer:
    found = await call.room.store.ask(Read(room_status, None))
    context = to_wire(await call.room.context.ask(MeasureContext()))
    return {
        "room": {"roomId": found.room.room_id, "title": found.room.title},
        "agents": [agent_told(view) for view in call.room.directory.views()],
        "openTurns": [to_wire(turn) for turn in found.turns],
        "moreTurns": found.more,
        "context": {name: context[name] for name in _CONTEXT},
    }


ROOM_STATUS = Tool(
    name="room_status",
    description="How the room stands now: each agent with its state and queue, and the turns that "
    "run or wait, with the beginning of what each is about; and how full the room's context is, in "
    "characters.",
    arguments=Nothing,
    run=_status,
)
