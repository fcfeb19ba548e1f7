"""The mock model says what it is told to, in four wire formats, and remembers what it was asked."""

import json
import subprocess
import sys

import httpx
import pytest

from conformance.mock import MockModel


@pytest.fixture
def model(tmp_path):
    with MockModel(log=tmp_path / "log.jsonl") as model:
        yield model


def chat(words, **body):
    messages = [{"role": "user", "content": words}]
    return "/v1/chat/completions", {"messages": messages, **body}


def responses(words, **body):
    return "/v1/responses", {"input": words, **body}


def anthropic(words, **body):
    messages = [{"role": "user", "content": words}, {"role": "system", "content": "be brief"}]
    return "/v1/messages?beta=true", {"messages": messages, **body}


def gemini(words, *, stream=False, **body):
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    contents = [{"role": "user", "parts": [{"text": words}]}]
    return f"/v1beta/models/mock:{method}", {"contents": contents, **body}


DIALECTS = {"chat": chat, "responses": responses, "anthropic": anthropic, "gemini": gemini}
every = pytest.mark.parametrize("dialect", DIALECTS)


def post(model, path, body):
    return httpx.post(model.url + path, json=body)


def events(answer):
    lines = answer.text.splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


def words_in(document, *keys):
    """Every string under one of these keys, in order, joined."""
    if isinstance(document, list):
        return "".join(words_in(item, *keys) for item in document)
    if not isinstance(document, dict):
        return ""
    return "".join(
        value if key in keys and isinstance(value, str) else words_in(value, *keys)
        for key, value in document.items()
    )


@every
def test_an_answer_at_once(model, dialect):
    answer = post(model, *DIALECTS[dialect]("say hello"))
    assert "Hello from the mock model." in words_in(answer.json(), "content", "text")
    [asked] = model.prompts_with("hello", dialect)
    assert (asked["user"], asked["earlier"]) == ("say hello", "")


@every
def test_an_answer_in_pieces(model, dialect):
    answer = post(model, *DIALECTS[dialect]("hello", stream=True))
    assert answer.headers["content-type"] == "text/event-stream"
    said = "".join(words_in(event, "content", "text", "delta") for event in events(answer))
    assert said.startswith("Hello from the mock model.")
    assert len(events(answer)) > 5


@every
def test_reasoning_is_told_apart(model, dialect):
    answer = post(model, *DIALECTS[dialect]("THINK SAY:yes", stream=True))
    thinking = {
        "chat": lambda e: words_in(e, "reasoning_content"),
        "responses": lambda e: words_in(e, "delta") if "reasoning" in e["type"] else "",
        "anthropic": lambda e: words_in(e.get("delta", {}), "thinking"),
        "gemini": lambda e: "".join(
            part["text"] for part in e["candidates"][0]["content"]["parts"] if part.get("thought")
        ),
    }[dialect]
    assert "".join(map(thinking, events(answer))) == "I am thinking. "


@every
def test_a_failure(model, dialect):
    assert post(model, *DIALECTS[dialect]("FAIL:429 marker")).status_code == 429
    assert len(model.prompts_with("marker", dialect)) == 1


@every
@pytest.mark.parametrize(
    ("before", "said"), [("Remember the word ab12 for later", "ab12"), ("hi", "nothing")]
)
def test_a_word_of_an_earlier_turn(model, dialect, before, said):
    path, body = DIALECTS[dialect]("RECALL")
    turns = [("user", before), ("assistant", "ok"), ("user", "RECALL")]
    if dialect == "gemini":
        body["contents"] = [
            {"role": role.replace("assistant", "model"), "parts": [{"text": text}]}
            for role, text in turns
        ]
    else:
        key = "input" if dialect == "responses" else "messages"
        body[key] = [{"role": role, "content": text} for role, text in turns]
    assert said in words_in(post(model, path, body).json(), "content", "text")


@every
def test_what_a_program_says_in_the_users_name_is_not_the_users(model, dialect):
    path, body = DIALECTS[dialect]("SAY:this")
    if dialect == "gemini":
        body["contents"].append({"role": "user", "parts": [{"text": "<session_context>SAY:no"}]})
    else:
        said = {"role": "user", "content": "<system-reminder>SAY:no</system-reminder>"}
        given = "input" if dialect == "responses" else "messages"
        first = {"role": "user", "content": "SAY:this"}
        body[given] = [first, said]
    assert "this" in post(model, path, body).text


CALL = 'CALL:shell ARGS:{"x": 1}'


def test_a_tool_of_chat_and_its_result(model):
    path, body = chat(CALL, tools=[{"function": {"name": "run_shell"}}])
    message = post(model, path, body).json()["choices"][0]["message"]
    assert message["tool_calls"][0]["function"] == {"name": "run_shell", "arguments": '{"x": 1}'}
    body["messages"] += [message, {"role": "tool", "content": "42"}]
    message = post(model, path, body).json()["choices"][0]["message"]
    assert message["content"] == "The tool said: 42"
    body["messages"].append({"role": "user", "content": "SAY:next"})  # after a cancelled answer
    assert post(model, path, body).json()["choices"][0]["message"]["content"] == "next"


SCRIPT = """CALL:send ARGS:{"to": "b"}
CALL:collect ARGS:{"id": "$messageEventId", "cost": "$cost"}
CALL:publish"""


def asked_again(dialect, body, result):
    """The conversation, gone on by a tool's answer."""
    said = json.dumps(result)
    if dialect == "chat":
        more = [{"role": "assistant", "content": ""}, {"role": "tool", "content": said}]
    elif dialect == "responses":
        called = [{"role": "assistant", "content": ""}, {"type": "function_call"}]
        more = [*called, {"type": "function_call_output", "output": said}]
    elif dialect == "anthropic":
        answer = {"type": "tool_result", "content": [{"type": "text", "text": said}]}
        more = [{"role": "assistant", "content": []}, {"role": "user", "content": [answer]}]
    else:
        answer = {"functionResponse": {"response": {"output": said}}}
        more = [{"role": "model", "parts": []}, {"role": "user", "parts": [answer]}]
    key = next(key for key in ("messages", "input", "contents") if key in body)
    given = body[key]
    first = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return {**body, key: [*first, *more]}


TOOLS = {
    "chat": [{"function": {"name": name}} for name in ("send", "collect", "publish")],
    "responses": [{"name": name} for name in ("send", "collect", "publish")],
    "anthropic": [{"name": name} for name in ("send", "collect", "publish")],
    "gemini": [{"functionDeclarations": [{"name": n} for n in ("send", "collect", "publish")]}],
}


@every
def test_tools_one_after_another_with_what_the_last_one_answered(model, dialect):
    path, body = DIALECTS[dialect](SCRIPT, tools=TOOLS[dialect])
    assert '"send"' in post(model, path, body).text
    body = asked_again(dialect, body, {"messageEventId": "m-7", "n": 1})
    answer = post(model, path, body).text
    assert '"collect"' in answer
    assert "m-7" in answer
    assert "$messageEventId" not in answer
    assert "$cost" in answer, "what no result names stays"
    body = asked_again(dialect, body, {"messageEventId": "m-8"})
    assert '"publish"' in post(model, path, body).text
    body = asked_again(dialect, body, {"done": "fourth"})
    answer = post(model, path, body).text
    assert "The tool said" in answer
    assert "fourth" in answer
    assert len(model.requests[-1]["results"]) == 3
    assert len(model.prompts_with("CALL:send", dialect)) == 1, "it was said once"


def test_a_tool_of_responses_is_in_its_namespace(model):
    tools = [{"type": "namespace", "name": "mcp__room", "tools": [{"name": "shell"}]}]
    path, body = responses("CALL:room::shell ARGS:{}", tools=tools)
    output = post(model, path, body).json()["output"]
    assert (output[-1]["namespace"], output[-1]["name"]) == ("mcp__room", "shell")


def test_responses_are_numbered(model):
    numbered = events(post(model, *responses("hi", stream=True)))
    assert [event["sequence_number"] for event in numbered] == list(range(len(numbered)))


def test_a_tool_of_anthropic_streams_in_blocks(model):
    lines = post(model, *anthropic(CALL + " THINK", stream=True, tools=[{"name": "shell"}])).text
    names = [line[7:] for line in lines.splitlines() if line.startswith("event: ")]
    assert names[0] == "message_start"
    assert names.count("content_block_start") == names.count("content_block_stop") == 3
    assert names[-2:] == ["message_delta", "message_stop"]
    assert '"stop_reason": "tool_use"' in lines


@pytest.mark.parametrize("stream", [False, True])
def test_a_tool_of_gemini_and_its_result(model, stream):
    tools = [{"functionDeclarations": [{"name": "run_shell"}]}]
    path, body = gemini(CALL, stream=stream, tools=tools)
    answer = post(model, path, body)
    chunks = events(answer) if stream else [answer.json()]
    parts = [part for c in chunks for part in c["candidates"][0]["content"]["parts"]]
    [call] = [part["functionCall"] for part in parts if "functionCall" in part]
    assert call == {"name": "run_shell", "args": {"x": 1}}
    assert chunks[-1]["candidates"][0]["finishReason"] == "STOP"
    response = {"functionResponse": {"name": "run_shell", "response": {"output": "42"}}}
    body["contents"] += [
        {"role": "model", "parts": parts},
        {"role": "user", "parts": [response]},
    ]
    assert "The tool said:" in post(model, path, body).text


def test_gemini_gets_the_object_that_its_schema_asks_for(model):
    properties = {
        "next_speaker": {"type": "STRING", "enum": ["user", "model"]},
        "score": {"type": "INTEGER", "minimum": 3},
        "done": {"type": "boolean"},
        "list": {"type": "array"},
    }
    wanted = {"responseSchema": {"type": "OBJECT", "properties": properties}}
    answer = post(model, *gemini("hello", generationConfig=wanted)).json()
    [part] = answer["candidates"][0]["content"]["parts"]
    expected = {"next_speaker": "user", "score": 3, "done": False, "list": []}
    assert json.loads(part["text"]) == expected


def test_the_log(model, tmp_path):
    post(model, *chat("marker"))
    [line] = (tmp_path / "log.jsonl").read_text().splitlines()
    assert json.loads(line)["user"] == "marker"


def test_as_a_program():
    program = [sys.executable, "-m", "conformance.mock"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline())
        models = httpx.get(f"http://127.0.0.1:{port}/v1/models").json()
        assert models["data"][0]["id"] == "mock-model"
        process.terminate()
