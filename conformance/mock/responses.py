"""OpenAI's responses."""

import time
from itertools import count
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
    "input_tokens": INPUT_TOKENS,
    "output_tokens": OUTPUT_TOKENS,
    "total_tokens": TOTAL_TOKENS,
}


def serve(exchange: Exchange, path: str, body: Json) -> None:
    given = body.get("input") or []
    items: list[Json] = [{"role": "user", "content": given}] if isinstance(given, str) else given
    tail = after_last_answer(items)
    user = last_user_text(tail)
    tools = [name for tool in body.get("tools") or [] for name in tool_names(tool)]
    asked, results = task_of(user, [said for item in items for said in heard_in(item)])
    earlier = "\n".join(flat(item.get("content")) for item in items[: -len(tail) or None])
    plan = Plan(asked, tools, results, earlier)
    number = exchange.model.record(
        method="POST",
        path=path,
        dialect="responses",
        user=user,
        results=results,
        earlier=earlier,
        tools=tools,
        turns=len(items),
    )
    response = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": int(time.time()),
        "model": body.get("model") or MODEL,
        "status": "completed",
        "output": output_items(plan, number),
        "usage": USAGE,
    }
    if plan.status != 200:
        error = {"message": f"mock failure {plan.status}"}
        exchange.answer({"error": error}, plan.status)
    elif body.get("stream"):
        stream(exchange, response, plan)
    else:
        exchange.answer(response)


def stream(exchange: Exchange, response: Json, plan: Plan) -> None:
    exchange.begin_stream()
    numbers = count()

    def tell(name: str, **fields: Any) -> None:
        exchange.event({"type": name, "sequence_number": next(numbers), **fields}, name)

    tell("response.created", response={**response, "status": "in_progress", "output": []})
    for index, item in enumerate(response["output"]):
        for name, fields in item_events(item, plan):
            tell(name, output_index=index, **fields)
            if name.endswith("output_text.delta") and not exchange.pauses(plan):
                return
    tell("response.completed", response=response)


def heard_in(item: Json) -> list[tuple[bool, str]]:
    """What a tool or the user said with one item of the input."""
    if item.get("type") == "function_call_output":
        return [(True, flat(item["output"]))]
    return [(False, flat(item.get("content")))] if item.get("role") == "user" else []


def tool_names(tool: Json) -> list[str]:
    """Of one offered tool, or of a namespace of them: `namespace::name`."""
    if tool.get("type") != "namespace":
        return [tool.get("name", "")]
    return [f"{tool['name']}::{inner.get('name', '')}" for inner in tool.get("tools") or []]


def output_items(plan: Plan, number: int) -> list[Json]:
    """What one response of the Responses API consists of."""
    items: list[Json] = []
    if plan.reasoning:
        summary = [{"type": "summary_text", "text": "".join(plan.reasoning)}]
        items.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
    if plan.pieces:
        part = {"type": "output_text", "text": plan.text, "annotations": []}
        head = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
        items.append({**head, "status": "completed", "content": [part]})
    if plan.call:
        namespace, _, name = plan.call[0].rpartition("::")
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        call |= {"name": name, "arguments": plan.call[1]}
        items.append({**call, "namespace": namespace} if namespace else call)
    return items


def item_events(item: Json, plan: Plan) -> list[tuple[str, Json]]:
    """How one item is streamed."""
    of_item = {"item_id": item["id"]}
    opened, deltas = item, []
    if item["type"] == "reasoning":
        part = {**of_item, "summary_index": 0}
        added = {**part, "part": {"type": "summary_text", "text": ""}}
        opened = {**item, "summary": []}
        deltas = [("response.reasoning_summary_part.added", added)]
        for piece in plan.reasoning:
            deltas.append(("response.reasoning_summary_text.delta", {**part, "delta": piece}))
    elif item["type"] == "message":
        part = {**of_item, "content_index": 0}
        empty = {"type": "output_text", "text": "", "annotations": []}
        opened = {**item, "status": "in_progress", "content": []}
        deltas = [("response.content_part.added", {**part, "part": empty})]
        deltas += [("response.output_text.delta", {**part, "delta": p}) for p in plan.pieces]
        deltas.append(("response.output_text.done", {**part, "text": plan.text}))
    return [
        ("response.output_item.added", {"item": opened}),
        *deltas,
        ("response.output_item.done", {"item": item}),
    ]
