"""OpenAI's chat completions."""

from typing import Any

from .exchange import Exchange
from .plan import (
    INPUT_TOKENS,
    MODEL,
    OUTPUT_TOKENS,
    TOTAL_TOKENS,
    Json,
    Plan,
    after_last_answer,
    flat,
    last_user_text,
    task_of,
)

USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": TOTAL_TOKENS,
}


def serve(exchange: Exchange, path: str, body: Json) -> None:
    messages: list[Json] = body.get("messages", [])
    tail = after_last_answer(messages)
    user = last_user_text(tail)
    tools = [tool.get("function", {}).get("name", "") for tool in body.get("tools") or []]
    said = [m for m in messages if m.get("role") in {"user", "tool"}]
    heard = [(m["role"] == "tool", flat(m.get("content"))) for m in said]
    asked, results = task_of(user, heard)
    earlier = "\n".join(flat(m.get("content")) for m in messages[: -len(tail) or None])
    plan = Plan(asked, tools, results, earlier)
    number = exchange.model.record(
        method="POST",
        path=path,
        dialect="chat",
        user=user,
        results=results,
        earlier=earlier,
        tools=tools,
        turns=len(messages),
    )
    head = {"id": f"chatcmpl-mock{number}", "created": 1, "model": body.get("model") or MODEL}
    if plan.status != 200:
        error = {"message": f"mock failure {plan.status}"}
        exchange.answer({"error": error}, plan.status)
    elif body.get("stream"):
        stream(exchange, head, plan)
    else:
        exchange.answer(at_once(head, plan))


def stream(exchange: Exchange, head: Json, plan: Plan) -> None:
    exchange.begin_stream()

    def chunk(delta: Json, finish: str | None = None, **extra: Any) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        exchange.event({**head, "object": "chat.completion.chunk", "choices": [choice], **extra})

    chunk({"role": "assistant", "content": ""})
    for piece in plan.reasoning:
        chunk({"reasoning_content": piece})
    for piece in plan.pieces:
        chunk({"content": piece})
        if not exchange.pauses(plan):
            return
    if plan.call:
        chunk({"tool_calls": [{"index": 0, **tool_call(head, *plan.call)}]})
    chunk({}, "tool_calls" if plan.call else "stop", usage=USAGE)
    exchange.event("[DONE]")


def at_once(head: Json, plan: Plan) -> Json:
    message: Json = {"role": "assistant", "content": plan.text}
    if plan.call:
        message["tool_calls"] = [tool_call(head, *plan.call)]
    finish = "tool_calls" if plan.call else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {**head, "object": "chat.completion", "choices": [choice], "usage": USAGE}


def tool_call(head: Json, name: str, arguments: str) -> Json:
    """Its id is of this answer only: there are programs that take an id's result once."""
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{head['id']}", "type": "function", "function": function}
