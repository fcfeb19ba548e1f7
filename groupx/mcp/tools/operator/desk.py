"""All tools of the operator's desk."""

from collections.abc import Mapping
from typing import Any

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.mcp.tool import Answer, AnyTool, Call, desk_of
from groupx.mcp.tools.operator.cancel_turn import CANCEL_TURN
from groupx.mcp.tools.operator.context_compact import CONTEXT_COMPACT
from groupx.mcp.tools.operator.context_reset import CONTEXT_RESET
from groupx.mcp.tools.operator.dispatch_event import DISPATCH_EVENT
from groupx.mcp.tools.operator.memory_remember import MEMORY_REMEMBER
from groupx.mcp.tools.operator.memory_retract import MEMORY_RETRACT
from groupx.mcp.tools.operator.memory_search import MEMORY_SEARCH
from groupx.mcp.tools.operator.read import READ
from groupx.mcp.tools.operator.restart_agent import RESTART_AGENT
from groupx.mcp.tools.operator.room_status import ROOM_STATUS
from groupx.mcp.tools.operator.send import SEND
from groupx.mcp.tools.operator.setup_read import SETUP_READ
from groupx.mcp.tools.operator.setup_update import SETUP_UPDATE
from groupx.mcp.tools.operator.worker_ask import WORKER_ASK
from groupx.mcp.tools.operator.worker_dispatch import WORKER_DISPATCH

_TOOLS = (
    SETUP_READ,
    SETUP_UPDATE,
    ROOM_STATUS,
    READ,
    WORKER_DISPATCH,
    WORKER_ASK,
    DISPATCH_EVENT,
    SEND,
    CANCEL_TURN,
    RESTART_AGENT,
    MEMORY_SEARCH,
    MEMORY_REMEMBER,
    MEMORY_RETRACT,
    CONTEXT_COMPACT,
    CONTEXT_RESET,
)


def _during_a_reply(tool: AnyTool) -> AnyTool:
    """The same tool, refused with SESSION_NOT_AVAILABLE when nobody waits for a reply."""

    async def run(call: Call, given: Any) -> Answer:
        if not call.caller.at_work():
            raise GroupXError(
                ErrorCode.SESSION_NOT_AVAILABLE,
                "The user waits for no reply of yours, or has stopped it, so nothing was done. "
                "Wait for the next message.",
            )
        return await tool.run(call, given)

    return attrs.evolve(tool, run=run)


OPERATOR_DESK: Mapping[str, AnyTool] = desk_of(*map(_during_a_reply, _TOOLS))
"""The assistant acts for its user, so only while it works on what the user said."""
