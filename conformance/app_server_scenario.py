"""The words of scenarios for the scripted app-server (see agents/app_server_scripted.py)."""

from typing import Any

from .scenario import Step

THREAD = "thread-1"
OPENED: Step = {
    "thread": {"id": THREAD, "status": {"type": "idle"}, "cliVersion": "0.171.0", "turns": []},
    "approvalPolicy": "never",
    "sandbox": {"type": "dangerFullAccess"},
}
"""The answer to thread/start and thread/resume."""
BEGINS: list[Step] = [{"turn": "answer"}, {"turn": "started"}]
INTERRUPTED: Step = {"turn": "completed", "status": "interrupted"}
INTERRUPT: Step = {"await": "turn/interrupt"}


def says(text: str, item: str = "msg-1", **fields: Any) -> Step:
    return {"note": "item/agentMessage/delta", "itemId": item, "delta": text, **fields}


def thinks(text: str, item: str = "rs-1", index: int = 0) -> Step:
    method = "item/reasoning/summaryTextDelta"
    return {"note": method, "itemId": item, "delta": text, "summaryIndex": index}


def opens(kind: str = "commandExecution", item: str = "call-1", **fields: Any) -> Step:
    body = {"type": kind, "id": item, "status": "inProgress", **fields}
    return {"note": "item/started", "item": body}


def closes(kind: str = "commandExecution", item: str = "call-1", **fields: Any) -> Step:
    body = {"type": kind, "id": item, "status": "completed", **fields}
    return {"note": "item/completed", "item": body}


def ends(status: str = "completed", **fields: Any) -> Step:
    return {"turn": "completed", "status": status, **fields}


def fails(info: Any, message: str = "it broke") -> Step:
    """The turn ends with this `codexErrorInfo`."""
    error = {"message": message, "codexErrorInfo": info, "additionalDetails": None}
    return ends("failed", error=error)


def asks(method: str = "item/commandExecution/requestApproval", **params: Any) -> Step:
    """A request of the program's own, whose id is 0 as in the real one."""
    return {"send": {"id": 0, "method": method, "params": {"threadId": THREAD, **params}}}


def uses(total: int, last: int) -> Step:
    counts = {"totalTokens": last, "inputTokens": last - 1, "outputTokens": 1}
    usage = {"total": {"totalTokens": total}, "last": counts, "modelContextWindow": 1000}
    return {"note": "thread/tokenUsage/updated", "tokenUsage": usage}
