"""All tools of the operator's desk."""

from collections.abc import Mapping

from groupx.mcp.tool import AnyTool, desk_of
from groupx.mcp.tools.operator.cancel_turn import CANCEL_TURN
from groupx.mcp.tools.operator.dispatch_event import DISPATCH_EVENT
from groupx.mcp.tools.operator.read import READ
from groupx.mcp.tools.operator.restart_agent import RESTART_AGENT
from groupx.mcp.tools.operator.room_status import ROOM_STATUS
from groupx.mcp.tools.operator.send import SEND
from groupx.mcp.tools.operator.worker_ask import WORKER_ASK
from groupx.mcp.tools.operator.worker_dispatch import WORKER_DISPATCH

OPERATOR_DESK: Mapping[str, AnyTool] = desk_of(
    ROOM_STATUS,
    READ,
    WORKER_DISPATCH,
    WORKER_ASK,
    DISPATCH_EVENT,
    SEND,
    CANCEL_TURN,
    RESTART_AGENT,
)
