"""Which tools a caller is given, and what it is told of the room. Imports what is heavy."""

from collections.abc import Callable, Mapping

from groupx.actors.callers import Caller, Desk
from groupx.mcp.desk import open_desk
from groupx.mcp.mount import Manager
from groupx.mcp.room import RoomFace
from groupx.mcp.tool import AnyTool, desk_of
from groupx.mcp.tools.ask import ASK
from groupx.mcp.tools.collect import COLLECT
from groupx.mcp.tools.core_memory_remember import CORE_MEMORY_REMEMBER
from groupx.mcp.tools.identity_read import IDENTITY_READ
from groupx.mcp.tools.identity_remember import IDENTITY_REMEMBER
from groupx.mcp.tools.memory_remember import MEMORY_REMEMBER
from groupx.mcp.tools.memory_search import MEMORY_SEARCH
from groupx.mcp.tools.operator.desk import OPERATOR_DESK
from groupx.mcp.tools.publish import PUBLISH
from groupx.mcp.tools.read import READ
from groupx.mcp.tools.send import SEND
from groupx.mcp.tools.steer import STEER
from groupx.mcp.tools.watch import WATCH

MEMBER_INSTRUCTIONS = (
    "You are one of several agents in a room with their user. Everything said in it is stored and "
    "can be read by all. A name in a text wakes nobody; these tools do."
)
OPERATOR_INSTRUCTIONS = "You help the user of a room of agents to run it, with these tools."

TOOLS: Mapping[Desk, Mapping[str, AnyTool]] = {
    "member": desk_of(
        SEND,
        PUBLISH,
        ASK,
        COLLECT,
        READ,
        WATCH,
        STEER,
        MEMORY_SEARCH,
        MEMORY_REMEMBER,
        CORE_MEMORY_REMEMBER,
        IDENTITY_READ,
        IDENTITY_REMEMBER,
    ),
    "operator": OPERATOR_DESK,
}
INSTRUCTIONS: Mapping[Desk, str] = {
    "member": MEMBER_INSTRUCTIONS,
    "operator": OPERATOR_INSTRUCTIONS,
}


def opener(room: RoomFace) -> Callable[[Caller], Manager]:
    """Opens the desk that a caller belongs to."""

    def open_for(caller: Caller) -> Manager:
        return open_desk(caller, room, TOOLS[caller.desk], INSTRUCTIONS[caller.desk])

    return open_for
