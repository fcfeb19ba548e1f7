"""The words of which scenarios for the scripted agent are made (see agents/acp_scripted.py)."""

from typing import Any

Step = dict[str, Any]
SESSION = "session-1"


def says(text: str, **fields: Any) -> Step:
    content = {"type": "text", "text": text}
    return {"update": {"sessionUpdate": "agent_message_chunk", "content": content, **fields}}


def thinks(text: str) -> Step:
    content = {"type": "text", "text": text}
    return {"update": {"sessionUpdate": "agent_thought_chunk", "content": content}}


def tool(call_id: str = "call-1", *, new: bool = True, **fields: Any) -> Step:
    variant = "tool_call" if new else "tool_call_update"
    return {"update": {"sessionUpdate": variant, "toolCallId": call_id, **fields}}


def ends(reason: str = "end_turn", **fields: Any) -> Step:
    return {"result": {"stopReason": reason, **fields}}


def fails(code: int, message: str, data: Any = None) -> Step:
    return {"error": {"code": code, "message": message, "data": data}}


def asks(request_id: int | str = 0, title: str = "rm -rf /") -> Step:
    """A permission request."""
    return {
        "send": {
            "id": request_id,
            "method": "session/request_permission",
            "params": {
                "sessionId": SESSION,
                "toolCall": {"toolCallId": "call-1", "title": title},
                "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}],
            },
        }
    }


def uses(used: int, size: int = 1000) -> Step:
    """A usage update."""
    return {"update": {"sessionUpdate": "usage_update", "used": used, "size": size}}


CANCELLED: Step = {"await": "session/cancel"}
HANG: Step = {"hang": True}
