import httpx
import pytest

from conformance.mock_anthropic import MockAnthropic


@pytest.fixture
def model():
    with MockAnthropic() as model:
        yield model


def ask(model, *texts, **body):
    said = [{"type": "text", "text": text} for text in texts]
    messages = [{"role": "user", "content": said}, {"role": "system", "content": "be brief"}]
    url = f"{model.url}/v1/messages?beta=true"
    return httpx.post(url, json={"messages": messages, **body})


def test_an_answer_at_once(model):
    answer = ask(model, "<system-reminder>SAY:no</system-reminder>", "SAY:yes").json()
    assert answer["content"] == [{"type": "text", "text": "yes"}]
    assert answer["stop_reason"] == "end_turn"
    assert [prompt["user"] for prompt in model.prompts_with("SAY")] == ["SAY:yes"]


def test_a_stream(model):
    lines = ask(model, "THINK and CALL:ash ARGS:{}", stream=True, tools=[{"name": "Bash"}]).text
    events = [line[7:] for line in lines.splitlines() if line.startswith("event: ")]
    assert events[0] == "message_start"
    assert events.count("content_block_start") == events.count("content_block_stop") == 3
    assert events[-2:] == ["message_delta", "message_stop"]
    assert '"stop_reason": "tool_use"' in lines


def test_a_failure(model):
    answer = ask(model, "FAIL:429")
    assert (answer.status_code, answer.json()["type"]) == (429, "error")
