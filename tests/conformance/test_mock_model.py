"""The mock model says what it is told to, in both dialects, and remembers what it was asked."""

import json
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from conformance.mock_model import MockModel


@pytest.fixture
def model(tmp_path):
    with MockModel(log=tmp_path / "log.jsonl") as model:
        yield model


def post(model, path, body):
    request = urllib.request.Request(model.url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


def chat(words, **more):
    return {"messages": [{"role": "user", "content": words}], **more}


def events(text):
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]


def test_chat_at_once(model):
    answer = json.loads(post(model, "/v1/chat/completions", chat("hi")))
    assert answer["choices"][0]["message"]["content"] == "Hello from the mock model."


def test_chat_in_pieces(model):
    text = post(model, "/v1/chat/completions", chat("THINK SAY:yes", stream=True))
    deltas = [event["choices"][0]["delta"] for event in events(text)]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == "I am thinking. "
    assert "".join(delta.get("content", "") for delta in deltas) == "yes"
    assert text.endswith("data: [DONE]\n\n")


def test_a_tool_and_its_result(model):
    tools = [{"type": "function", "function": {"name": "run_shell"}}]
    asked = chat('CALL:shell ARGS:{"x": 1}', tools=tools)
    message = json.loads(post(model, "/v1/chat/completions", asked))["choices"][0]["message"]
    assert message["tool_calls"][0]["function"] == {"name": "run_shell", "arguments": '{"x": 1}'}
    asked["messages"] += [message, {"role": "tool", "content": "42"}]
    message = json.loads(post(model, "/v1/chat/completions", asked))["choices"][0]["message"]
    assert message["content"] == "The tool said: 42"


def test_responses_are_numbered(model):
    text = post(model, "/v1/responses", {"input": "hi", "stream": True})
    numbered = events(text)
    assert [event["sequence_number"] for event in numbered] == list(range(len(numbered)))
    assert numbered[-1]["response"]["output"][0]["content"][0]["text"].startswith("Hello")


def test_failures_and_the_log(model, tmp_path):
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(model, "/v1/chat/completions", chat("FAIL:429 marker"))
    caught.value.close()
    assert caught.value.code == 429
    assert len(model.prompts_with("marker")) == 1
    [line] = (tmp_path / "log.jsonl").read_text().splitlines()
    assert json.loads(line)["user"] == "FAIL:429 marker"


def test_words_in_the_users_name_are_not_the_users(model):
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "SAY:this"}]},
        {"role": "user", "content": "<system-reminder>SAY:that</system-reminder>"},
    ]
    answer = json.loads(post(model, "/v1/chat/completions", {"messages": messages}))
    assert answer["choices"][0]["message"]["content"] == "this"


def test_as_a_program():
    program = [sys.executable, "-m", "conformance.mock_model"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5) as answer:
            assert json.load(answer)["data"][0]["id"] == "mock-model"
        process.terminate()
