"""Google's generateContent and streamGenerateContent."""

import json
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
    last_said,
    task_of,
)

USAGE = {
    "promptTokenCount": INPUT_TOKENS,
    "candidatesTokenCount": OUTPUT_TOKENS,
    "totalTokenCount": TOTAL_TOKENS,
}


def serve(exchange: Exchange, path: str, body: Json) -> None:
    if path.endswith(":countTokens"):
        exchange.answer({"totalTokens": INPUT_TOKENS})
        return
    contents: list[Json] = body.get("contents", [])
    tail = after_last_answer(contents, "model")
    parts = [part for content in tail for part in content.get("parts") or []]
    user = last_said([part.get("text", "") for part in parts])
    tools = [
        function.get("name", "")
        for tool in body.get("tools") or []
        for function in tool.get("functionDeclarations") or []
    ]
    told = [c for c in contents if c.get("role") != "model"]
    heard = [heard_in(part) for content in told for part in content.get("parts") or []]
    asked, results = task_of(user, heard)
    before = contents[: -len(tail) or None]
    earlier = "\n".join(flat(content.get("parts") or []) for content in before)
    plan = Plan(asked, tools, results, earlier)
    exchange.model.record(
        method="POST",
        path=path,
        dialect="gemini",
        user=user,
        results=results,
        earlier=earlier,
        tools=tools,
        turns=len(contents),
    )
    wanted = body.get("generationConfig") or {}
    schema = wanted.get("responseJsonSchema") or wanted.get("responseSchema")
    if plan.status != 200:
        error = {"code": plan.status, "message": f"mock failure {plan.status}"}
        exchange.answer({"error": error}, plan.status)
    elif path.endswith(":streamGenerateContent"):
        stream(exchange, plan)
    elif schema:
        exchange.answer(candidate([{"text": json.dumps(sample(schema))}], "STOP"))
    else:
        exchange.answer(candidate(parts_of(plan), "STOP"))


def heard_in(part: Json) -> tuple[bool, str]:
    """What a tool or the user said with one part."""
    if "functionResponse" in part:
        return True, json.dumps(part["functionResponse"])
    return False, part.get("text", "")


def stream(exchange: Exchange, plan: Plan) -> None:
    exchange.begin_stream()
    for part in parts_of(plan):
        exchange.event(candidate([part]))
        if "text" in part and not part.get("thought") and not exchange.pauses(plan):
            return
    exchange.event(candidate([{"text": ""}], "STOP"))


def parts_of(plan: Plan) -> list[Json]:
    thoughts = [{"text": piece, "thought": True} for piece in plan.reasoning]
    parts: list[Json] = [*thoughts, *({"text": piece} for piece in plan.pieces)]
    if plan.call:
        name, arguments = plan.call
        parts.append({"functionCall": {"name": name, "args": json.loads(arguments)}})
    return parts


def candidate(parts: list[Json], finish: str | None = None) -> Json:
    one: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        one["finishReason"] = finish
    return {"candidates": [one], "usageMetadata": USAGE, "modelVersion": MODEL}


def sample(schema: Json) -> Any:
    """The least value of a JSON schema: what a program gets that asks for an object."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = str(schema.get("type", "")).lower()
    if kind == "object":
        properties: Json = schema.get("properties") or {}
        return {name: sample(inner) for name, inner in properties.items()}
    if kind == "array":
        return []
    if kind in {"number", "integer"}:
        return schema.get("minimum", 1)
    return False if kind == "boolean" else "mock"
