"""The words of which scenarios for agents/stream_json_scripted.py are made."""

from typing import Any

from .scenario import Step

INTERRUPTED: Step = {"await": "interrupt"}


def sends(kind: str, **fields: Any) -> Step:
    return {"send": {"type": kind, "session_id": "$session", **fields}}


def state(name: str) -> Step:
    return sends("system", subtype="session_state_changed", state=name)


def lifecycle(name: str, uuid: str = "$uuid") -> Step:
    return sends("command_lifecycle", command_uuid=uuid, state=name)


def init(**fields: Any) -> Step:
    ordinary = {"cwd": "$cwd", "permissionMode": "bypassPermissions", "mcp_servers": []}
    return sends("system", subtype="init", **{**ordinary, **fields})


BEGINS = [state("running"), lifecycle("queued"), lifecycle("started"), init()]
"""What comes before everything else of a turn."""


def event(kind: str, **fields: Any) -> Step:
    return sends("stream_event", event={"type": kind, **fields}, parent_tool_use_id=None)


def message(name: str = "msg_1") -> Step:
    usage = {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 1}
    return event("message_start", message={"id": name, "usage": usage})


def says(text: str) -> Step:
    return event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})


def thinks(text: str) -> Step:
    delta = {"type": "thinking_delta", "thinking": text}
    return event("content_block_delta", index=0, delta=delta)


def block(content: dict[str, Any], name: str = "msg_1", **fields: Any) -> Step:
    """A complete block of one of the model's messages."""
    said = {"id": name, "role": "assistant", "model": "mock", "content": [content]}
    return sends("assistant", message=said, **{"parent_tool_use_id": None, **fields})


def calls(call_id: str = "toolu_1", name: str = "Bash", **arguments: Any) -> list[Step]:
    use = {"type": "tool_use", "id": call_id, "name": name}
    return [
        event("content_block_start", index=1, content_block={**use, "input": {}}),
        block({**use, "input": arguments}),
    ]


def returns(content: Any, call_id: str = "toolu_1", *, is_error: bool = False) -> Step:
    result = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    said = {"role": "user", "content": [{**result, "is_error": is_error}]}
    return sends("user", message=said, parent_tool_use_id=None)


def result(**fields: Any) -> Step:
    ordinary = {
        "subtype": "success",
        "is_error": False,
        "stop_reason": "end_turn",
        "terminal_reason": "completed",
        "user_message_uuid": "$uuid",
        "usage": {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 7},
        "modelUsage": {"mock": {"contextWindow": 1000}},
    }
    return sends("result", **{**ordinary, **fields})


def ends(**fields: Any) -> list[Step]:
    """A result and all that follows it."""
    return [result(**fields), lifecycle("completed"), state("idle")]


def fails(words: str, status: int | None = None, **fields: Any) -> list[Step]:
    """A result that says that the model could not be asked."""
    told = {"is_error": True, "result": words, "api_error_status": status}
    return ends(**{**told, "terminal_reason": "api_error", **fields})


def aborted(reason: str = "aborted_streaming", **fields: Any) -> list[Step]:
    """A result in answer to an interrupt, and all that follows it."""
    told = {"subtype": "error_during_execution", "is_error": True, "stop_reason": None}
    errors = ["[ede_diagnostic] result_type=user"]
    return [
        result(**{**told, "terminal_reason": reason, "errors": errors, **fields}),
        lifecycle("cancelled"),
        state("idle"),
    ]


def asks(subtype: str = "can_use_tool", **fields: Any) -> Step:
    request = {"subtype": subtype, **fields}
    return {"send": {"type": "control_request", "request_id": "ask-1", "request": request}}
