"""The mock model in the wire format of Anthropic's messages API, streamed or at once.

`with MockAnthropic() as model:`; it obeys the same words as `mock_model`.
"""

import json
from pathlib import Path
from typing import Any

from .mock_model import MODEL, REMINDERS, Handler, Json, MockModel, Plan, after_last_answer, flat

USAGE = {
    "input_tokens": 100,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 1,
}
OUTPUT_TOKENS = 5


class MockAnthropic(MockModel):
    """The server; use as a context manager."""

    def __init__(self, port: int = 0, log: Path | None = None) -> None:
        super().__init__(port, log, AnthropicHandler)


class AnthropicHandler(Handler):
    def do_HEAD(self) -> None:  # noqa: N802
        self.answer({})

    def on_other(self, path: str, body: Json) -> None:
        if path.endswith("/count_tokens"):
            self.answer({"input_tokens": USAGE["input_tokens"]})
        elif path.endswith("/messages"):
            self.on_messages(path, body)
        else:
            super().on_other(path, body)

    def on_messages(self, path: str, body: Json) -> None:
        messages: list[Json] = body.get("messages", [])
        tail = after_last_answer(messages)
        blocks = [block for message in tail for block in blocks_of(message)]
        texts = [text for block in blocks if (text := block.get("text", "")).strip()]
        said = [text for text in texts if not text.lstrip().startswith((*REMINDERS, "[Request"))]
        results = [flat(b.get("content")) for b in blocks if b.get("type") == "tool_result"]
        user = said[-1] if said else ""
        tools = [tool.get("name", "") for tool in body.get("tools") or []]
        plan = Plan(user, tools, results[-1] if results and not said else None)
        self.model.record(
            method="POST",
            path=path,
            kind="chat",
            user=user,
            earlier="\n".join(flat(m.get("content")) for m in messages[: -len(tail) or None]),
            tools=tools,
            turns=len(messages),
        )
        if plan.status != 200:
            error = {"type": "api_error", "message": f"mock failure {plan.status}"}
            self.answer({"type": "error", "error": error}, plan.status)
            return
        number = len(self.model.requests)
        stop = "tool_use" if plan.call else "end_turn"
        message = {
            "id": f"msg_mock{number}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model") or MODEL,
            "stop_sequence": None,
        }
        content = content_of(plan, number)
        if not body.get("stream"):
            usage = {**USAGE, "output_tokens": OUTPUT_TOKENS}
            self.answer({**message, "content": content, "stop_reason": stop, "usage": usage})
            return
        self.begin_stream()
        begun = {**message, "content": [], "stop_reason": None, "usage": USAGE}
        self.named("message_start", message=begun)
        for index, block in enumerate(content):
            if not self.stream_block(index, block, plan):
                return
        delta = {"stop_reason": stop, "stop_sequence": None}
        self.named("message_delta", delta=delta, usage={"output_tokens": OUTPUT_TOKENS})
        self.named("message_stop")

    def stream_block(self, index: int, block: Json, plan: Plan) -> bool:
        """False when the server is closing."""
        kind = block["type"]
        empty = {"text": {"text": ""}, "thinking": {"thinking": ""}, "tool_use": {"input": {}}}
        self.named("content_block_start", index=index, content_block={**block, **empty[kind]})
        if kind == "tool_use":
            deltas = [{"type": "input_json_delta", "partial_json": plan.call[1]}]
        elif kind == "thinking":
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in plan.reasoning]
            deltas.append({"type": "signature_delta", "signature": "bW9jaw=="})
        else:
            deltas = [{"type": "text_delta", "text": piece} for piece in plan.pieces]
        for delta in deltas:
            self.named("content_block_delta", index=index, delta=delta)
            if kind == "text" and plan.pause and self.model.closing.wait(plan.pause):
                return False
        self.named("content_block_stop", index=index)
        return True

    def named(self, name: str, **fields: Any) -> None:
        self.event({"type": name, **fields}, name)


def blocks_of(message: Json) -> list[Json]:
    if message.get("role") != "user":
        return []
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def content_of(plan: Plan, number: int) -> list[Json]:
    content: list[Json] = []
    if plan.reasoning:
        thinking = "".join(plan.reasoning)
        content.append({"type": "thinking", "thinking": thinking, "signature": "bW9jaw=="})
    if plan.pieces:
        content.append({"type": "text", "text": "".join(plan.pieces)})
    if plan.call:
        name, arguments = plan.call
        call = {"type": "tool_use", "id": f"toolu_mock{number}", "name": name}
        content.append({**call, "input": json.loads(arguments)})
    return content
