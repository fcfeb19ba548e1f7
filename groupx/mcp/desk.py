"""One caller's own MCP server. What comes to it is that caller's by construction."""

from collections.abc import Mapping
from typing import Any

import orjson
import structlog
import trio
from mcp.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types import Tool as McpTool

from groupx import __version__
from groupx.actors.callers import SERVER_NAME, Caller
from groupx.actors.mailbox import ActorCrashed
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import MAX_REQUEST_BYTES
from groupx.mcp.mount import GONE
from groupx.mcp.room import RoomFace
from groupx.mcp.tool import MAX_RESULT_BYTES, AnyTool, Call

MAX_CLIENT_SESSIONS = 32
"""Of one program: it opens one, and another after each loss."""

Context = ServerRequestContext[Any]

_log = structlog.stdlib.get_logger("groupx.mcp")


def open_desk(
    caller: Caller, room: RoomFace, tools: Mapping[str, AnyTool], instructions: str
) -> StreamableHTTPSessionManager:
    """The server of `caller`; to be run, and ended with the caller's session."""

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Ends with the client or with the caller's session, whichever leaves first.

        Older clients' calls run in their session's task, which does not notice by itself.
        """
        results: list[CallToolResult] = []
        async with trio.open_nursery() as nursery:

            async def watch(left: trio.Event) -> None:
                await left.wait()
                nursery.cancel_scope.cancel()

            for left in _who_may_leave(caller, context):
                nursery.start_soon(watch, left)
            results.append(await _answered(tools, params, _call(caller, room, context)))
            nursery.cancel_scope.cancel()
        if not results:
            raise MCPError(code=INTERNAL_ERROR, message="The caller has left.")
        return results[0]

    listed = [
        McpTool(name=tool.name, description=tool.description, input_schema=tool.schema)
        for tool in tools.values()
    ]
    server = Server[Any](
        SERVER_NAME,
        version=__version__,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return StreamableHTTPSessionManager(
        server,
        session_idle_timeout=None,  # as long as the agent's own session, however quiet it is
        max_sessions=MAX_CLIENT_SESSIONS,
        max_request_body_size=MAX_REQUEST_BYTES,
    )


def _who_may_leave(caller: Caller, context: Context) -> tuple[trio.Event, ...]:
    scope: Mapping[str, Any] = {} if context.request is None else context.request.scope
    return (caller.gone, scope[GONE]) if GONE in scope else (caller.gone,)


def _call(caller: Caller, room: RoomFace, context: Context) -> Call:
    started = trio.current_time()

    async def tell(message: str) -> None:
        await context.session.report_progress(trio.current_time() - started, None, message)

    return Call(caller=caller, room=room, tell=tell)


async def _answered(
    tools: Mapping[str, AnyTool], params: CallToolRequestParams, call: Call
) -> CallToolResult:
    try:
        tool = tools.get(params.name)
        if tool is None:
            raise GroupXError(
                ErrorCode.NOT_FOUND,
                f"There is no tool '{params.name}' here; there are {', '.join(tools)}.",
            )
        data = orjson.dumps(await tool(call, params.arguments or {}))
        if len(data) > MAX_RESULT_BYTES:
            raise RuntimeError(f"{params.name} answered with {len(data)} bytes")
        return CallToolResult(content=[TextContent(text=data.decode())])
    except GroupXError as error:
        return _refused(error)
    except ActorCrashed as error:
        return _refused(
            GroupXError(
                ErrorCode.STORE_UNAVAILABLE,
                f"The {error.name} stopped while this was under way; whether it took effect is "
                "not known. Look with `read` before you do it again.",
            )
        )
    except Exception as error:
        _log.exception("a tool failed", tool=params.name)
        return _refused(
            GroupXError(
                ErrorCode.INTERNAL_ERROR,
                f"{params.name} failed by a defect of GroupX ({type(error).__name__}); whether it "
                "took effect is not known. Look with `read`, and tell the user.",
            )
        )


def _refused(error: GroupXError) -> CallToolResult:
    """The same JSON as over REST, for the model to read."""
    text = orjson.dumps(error.to_wire(), default=str).decode()
    return CallToolResult(content=[TextContent(text=text)], is_error=True)
