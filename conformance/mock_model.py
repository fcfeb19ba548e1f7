"""A mock model server on loopback: OpenAI's chat completions and responses, deterministic.

`python -m conformance.mock_model --port 0 --log FILE` prints its port and serves until it is
ended. It answers "Hello from the mock model." unless the last words of the user say otherwise:

    SAY:word        answer with that word
    THINK           reason first
    SLOW            60 pieces, one every 50 ms
    EMPTY           answer nothing
    CALL:part ARGS:{…}   call the first offered tool whose name contains `part`
    FAIL:429        answer with that HTTP status

Every request is logged as one JSON line: method, path, and for a model request what was asked.
"""

import argparse
import contextlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, Self, TextIO

Json = dict[str, Any]
GREETING = ["Hello ", "from ", "the ", "mock ", "model."]
SLOW_PIECES, SLOW_SECONDS = 60, 0.05
MODEL = "mock-model"
CHAT_USAGE = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
RESPONSES_USAGE = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105}
REMINDERS = ("<system-reminder", "<environment", "<user_info", "<project")
"""What programs add as messages of the user's."""


class MockModel:
    """The server; use as a context manager. `requests` is what it was asked so far."""

    def __init__(
        self,
        port: int = 0,
        log: Path | None = None,
        handler: "type[Handler] | None" = None,
        prompts_by: str = "chat",
    ) -> None:
        self.prompts_by = prompts_by
        """The kind of the prompts' requests; some programs ask for titles by another API."""
        self.requests: list[Json] = []
        self._file: TextIO | None = log.open("a") if log else None
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler or Handler)
        self._server.daemon_threads = True
        self._server.model = self  # type: ignore[attr-defined]
        self.closing = threading.Event()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def record(self, **request: Any) -> None:
        with self._lock:
            self.requests.append(request)
            if self._file:
                self._file.write(json.dumps(request) + "\n")
                self._file.flush()

    def prompts_with(self, words: str) -> list[Json]:
        """The model requests by `prompts_by` whose last user text contains `words`."""
        with self._lock:
            asked = [r for r in self.requests if r.get("kind") == self.prompts_by]
        return [request for request in asked if words in request["user"]]

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.05)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        if self._file:
            self._file.close()


class Plan:
    """What the model says to one request."""

    def __init__(self, said: str, tools: list[str], tool_result: str | None) -> None:
        # In a context packet, what others said before is told too; only the last section asks.
        user = said.rpartition("current_message")[2]
        self.reasoning: list[str] = []
        self.pieces: list[str] = list(GREETING)
        self.pause = 0.0
        self.call: tuple[str, str] | None = None
        self.status = 200
        if tool_result is not None:
            self.pieces = [f"The tool said: {tool_result[:200]}"]
            return
        if "THINK" in user:
            self.reasoning = ["I ", "am ", "thinking. "]
        if said := re.search(r"SAY:(\S+)", user):
            self.pieces = [said[1]]
        if "EMPTY" in user:
            self.pieces = []
        if "SLOW" in user:
            self.pieces = [f"tick{number} " for number in range(SLOW_PIECES)]
            self.pause = SLOW_SECONDS
        if failure := re.search(r"FAIL:(\d{3})", user):
            self.status = int(failure[1])
        if called := re.search(r"CALL:(\S+)", user):
            arguments = re.search(r"ARGS:(\{.*\})", user)
            name = next((tool for tool in tools if called[1] in tool), None)
            self.pieces = ["Calling a tool. "] if name else [f"No such tool: {called[1]}"]
            self.call = (name, arguments[1] if arguments else "{}") if name else None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def model(self) -> MockModel:
        return self.server.model  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Our log is the requests."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.model.record(method="GET", path=path)
        entry = {"id": MODEL, "object": "model", "owned_by": "mock", "context_window": 262144}
        if path.endswith("/models"):
            self.answer({"object": "list", "data": [entry]})
        elif path.endswith(f"/models/{MODEL}"):
            self.answer(entry)
        else:
            self.answer({})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        try:
            body: Json = json.loads(self.read_body() or b"{}")
        except ValueError:
            body = {}
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if path.endswith("/chat/completions"):
                self.on_chat(path, body)
            elif path.endswith("/responses"):
                self.on_responses(path, body)
            else:
                self.on_other(path, body)

    def on_other(self, path: str, body: Json) -> None:
        self.model.record(method="POST", path=path)
        self.answer({})

    # --- bytes

    def read_body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, data: Json | str, name: str | None = None) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        head = f"event: {name}\n" if name else ""
        self.wfile.write(f"{head}data: {text}\n\n".encode())
        self.wfile.flush()

    def failed(self, plan: Plan) -> bool:
        if plan.status == 200:
            return False
        self.answer({"error": {"message": f"mock failure {plan.status}"}}, plan.status)
        return True

    # --- chat completions

    def on_chat(self, path: str, body: Json) -> None:
        messages: list[Json] = body.get("messages", [])
        tail = after_last_answer(messages)
        user = last_user_text(tail)
        earlier = "\n".join(flat(m.get("content")) for m in messages[: -len(tail) or None])
        tools = [tool.get("function", {}).get("name", "") for tool in body.get("tools") or []]
        results = [flat(item.get("content")) for item in tail if item.get("role") == "tool"]
        plan = Plan(user, tools, results[-1] if results else None)
        self.model.record(
            method="POST",
            path=path,
            kind="chat",
            user=user,
            earlier=earlier,
            tools=tools,
            turns=len(messages),
        )
        if self.failed(plan):
            return
        head = {"id": "chatcmpl-mock", "created": 1, "model": body.get("model") or MODEL}
        if not body.get("stream"):
            self.chat_at_once(head, plan)
            return
        self.begin_stream()

        def chunk(delta: Json, finish: str | None = None, **extra: Any) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            self.event({**head, "object": "chat.completion.chunk", "choices": [choice], **extra})

        chunk({"role": "assistant", "content": ""})
        for piece in plan.reasoning:
            chunk({"reasoning_content": piece})
        for piece in plan.pieces:
            chunk({"content": piece})
            if plan.pause and self.model.closing.wait(plan.pause):
                return
        if plan.call:
            chunk({"tool_calls": [{"index": 0, **tool_call(*plan.call)}]})
        chunk({}, "tool_calls" if plan.call else "stop", usage=CHAT_USAGE)
        self.event("[DONE]")

    def chat_at_once(self, head: Json, plan: Plan) -> None:
        message: Json = {"role": "assistant", "content": "".join(plan.pieces)}
        if plan.call:
            message["tool_calls"] = [tool_call(*plan.call)]
        finish = "tool_calls" if plan.call else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        self.answer({**head, "object": "chat.completion", "choices": [choice], "usage": CHAT_USAGE})

    # --- responses

    def on_responses(self, path: str, body: Json) -> None:
        given = body.get("input") or []
        items: list[Json] = (
            [{"role": "user", "content": given}] if isinstance(given, str) else given
        )
        tail = after_last_answer(items)
        user = last_user_text(tail)
        earlier = "\n".join(flat(item.get("content")) for item in items[: -len(tail) or None])
        asked = [index for index, item in enumerate(tail) if item.get("role") == "user"]
        newest = tail[asked[-1] + 1 :] if asked else tail
        outputs = [flat(i["output"]) for i in newest if i.get("type") == "function_call_output"]
        tools = [name for tool in body.get("tools") or [] for name in tool_names(tool)]
        plan = Plan(user, tools, outputs[-1] if outputs else None)
        self.model.record(
            method="POST", path=path, kind="responses", user=user, earlier=earlier, tools=tools
        )
        if self.failed(plan):
            return
        number = len(self.model.requests)
        response = {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": int(time.time()),
            "model": body.get("model") or MODEL,
            "status": "completed",
            "output": response_items(plan, number),
            "usage": RESPONSES_USAGE,
        }
        if not body.get("stream"):
            self.answer(response)
            return
        self.begin_stream()
        begun = {**response, "status": "in_progress", "output": []}
        numbers = count()

        def tell(name: str, **fields: Any) -> None:
            self.event({"type": name, "sequence_number": next(numbers), **fields}, name)

        tell("response.created", response=begun)
        for index, item in enumerate(response["output"]):
            for name, fields in item_events(item, plan):
                tell(name, output_index=index, **fields)
                if name.endswith("output_text.delta") and self.model.closing.wait(plan.pause):
                    return
        tell("response.completed", response=response)


def tool_names(tool: Json) -> list[str]:
    """Of one offered tool, or of a namespace of them: `namespace::name`."""
    if tool.get("type") != "namespace":
        return [tool.get("name", "")]
    return [f"{tool['name']}::{inner.get('name', '')}" for inner in tool.get("tools") or []]


def response_items(plan: Plan, number: int) -> list[Json]:
    """What one response of the Responses API consists of."""
    items: list[Json] = []
    if plan.reasoning:
        summary = [{"type": "summary_text", "text": "".join(plan.reasoning)}]
        items.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
    if plan.pieces:
        part = {"type": "output_text", "text": "".join(plan.pieces), "annotations": []}
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
        deltas.append(("response.output_text.done", {**part, "text": "".join(plan.pieces)}))
    return [
        ("response.output_item.added", {"item": opened}),
        *deltas,
        ("response.output_item.done", {"item": item}),
    ]


def tool_call(name: str, arguments: str) -> Json:
    function = {"name": name, "arguments": arguments}
    return {"id": "call_mock", "type": "function", "function": function}


def flat(content: Any) -> str:
    """The text of a message's content, whatever its form."""
    if isinstance(content, list):
        return "\n".join(flat(part) for part in content)
    if isinstance(content, dict):
        return flat(content.get("text") or content.get("content") or "")
    return content if isinstance(content, str) else ""


def after_last_answer(messages: list[Json]) -> list[Json]:
    answered = [index for index, m in enumerate(messages) if m.get("role") == "assistant"]
    return messages[answered[-1] + 1 :] if answered else messages


def last_user_text(messages: list[Json]) -> str:
    """What the user said last, without what the program added in the user's name."""
    texts = [flat(m.get("content")) for m in messages if m.get("role") == "user"]
    said = [text for text in texts if text.strip() and not text.lstrip().startswith(REMINDERS)]
    return said[-1] if said else ""


def main() -> None:
    parser = argparse.ArgumentParser(description="A mock model server on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path)
    arguments = parser.parse_args()
    model = MockModel(arguments.port, arguments.log)
    print(model.port, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        model.serve()


if __name__ == "__main__":
    main()
