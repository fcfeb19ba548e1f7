"""Anthropic's messages."""

import json
from typing import Any

from .exchange import Exchange
from .plan import (
    INPUT_TOKENS,
    MODEL,
    OUTPUT_TOKENS,
    Json,
    Plan,
    after_last_answer,
    flat,
    last_said,
    task_of,
)

USAGE = {
    "input_tokens": INPUT_TOKENS,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 1,
}
SIGNATURE = "bW9jaw=="


def serve(exchange: Exchange, path: str, body: Json) -> None:
    if path.endswith("/count_tokens"):
        exchange.answer({"input_tokens": INPUT_TOKENS})
        return
    messages: list[Json] = body.get("messages", [])
    tail = after_last_answer(messages)
    blocks = [block for message in tail for block in blocks_of(message)]
    user = last_said([block.get("text", "") for block in blocks])
    tools = [tool.get("name", "") for tool in body.get("tools") or []]
    heard = [
        (block.get("type") == "tool_result", block.get("text") or flat(block.get("content")))
        for message in messages
        for block in blocks_of(message)
    ]
    asked, results = task_of(user, heard)
    earlier = "\n".join(flat(m.get("content")) for m in messages[: -len(tail) or None])
    plan = Plan(asked, tools, results, earlier)
    number = exchange.model.record(
        method="POST",
        path=path,
        dialect="anthropic",
        user=user,
        results=results,
        earlier=earlier,
        tools=tools,
        turns=len(messages),
    )
    message = {
        "id": f"msg_mock{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model") or MODEL,
        "content": content_of(plan, number),
        "stop_reason": "tool_use" if plan.call else "end_turn",
        "stop_sequence": None,
        "usage": {**USAGE, "output_tokens": OUTPUT_TOKENS},
    }
    if plan.status != 200:
        error = {"type": "api_error", "message": f"mock failure {plan.status}"}
        exchange.answer({"type": "error", "error": error}, plan.status)
    elif body.get("stream"):
        stream(exchange, message, plan)
    else:
        exchange.answer(message)


def stream(exchange: Exchange, message: Json, plan: Plan) -> None:
    exchange.begin_stream()

    def tell(name: str, **fields: Any) -> None:
        exchange.event({"type": name, **fields}, name)

    tell("message_start", message={**message, "content": [], "stop_reason": None, "usage": USAGE})
    for index, block in enumerate(message["content"]):
        tell("content_block_start", index=index, content_block={**block, **EMPTY[block["type"]]})
        for delta in deltas_of(block, plan):
            tell("content_block_delta", index=index, delta=delta)
            if "text" in delta and not exchange.pauses(plan):
                return
        tell("content_block_stop", index=index)
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    tell("message_delta", delta=stop, usage={"output_tokens": OUTPUT_TOKENS})
    tell("message_stop")


EMPTY: dict[str, Json] = {
    "text": {"text": ""},
    "thinking": {"thinking": ""},
    "tool_use": {"input": {}},
}
"""What a block begins as, by type."""


def deltas_of(block: Json, plan: Plan) -> list[Json]:
    if block["type"] == "tool_use":
        return [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in plan.pieces]
    thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in plan.reasoning]
    return [*thoughts, {"type": "signature_delta", "signature": SIGNATURE}]


def blocks_of(message: Json) -> list[Json]:
    if message.get("role") != "user":
        return []
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def content_of(plan: Plan, number: int) -> list[Json]:
    content: list[Json] = []
    if plan.reasoning:
        thinking = "".join(plan.reasoning)
        content.append({"type": "thinking", "thinking": thinking, "signature": SIGNATURE})
    if plan.pieces:
        content.append({"type": "text", "text": plan.text})
    if plan.call:
        name, arguments = plan.call
        call = {"type": "tool_use", "id": f"toolu_mock{number}", "name": name}
        content.append({**call, "input": json.loads(arguments)})
    return content
