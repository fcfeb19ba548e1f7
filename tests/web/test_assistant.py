"""The side conversation over REST."""

import attrs
import orjson
import pytest

from groupx.actors.assistant_board import AsideView, AssistantState, RunningReply
from groupx.actors.messages import CancelAside, SayAside
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.side_conversation import SaidAside, SideMessage, SidePage
from groupx.domain.views import ErrorView, LiveTurn

ASKED = SideMessage(
    message_id="asst_1",
    role="user",
    content="who works?",
    created_at="2026-01-01T00:00:00.000Z",
    client_command_id="c",
)
ANSWERED = SideMessage(
    message_id="asst_1:reply",
    role="assistant",
    content="nobody",
    created_at="2026-01-01T00:00:01.000Z",
    reply_to_message_id="asst_1",
)
SAY = {"clientCommandId": "c", "content": "who works?"}


@pytest.fixture
def board(services):
    board = services.assistant.board
    board.change(state=AssistantState.IDLE)
    return board


async def test_how_it_stands_and_what_it_says_now(client, board):
    board.running = RunningReply(
        message_id="asst_1", live=lambda: LiveTurn(text="nob", chunk_index=2)
    )
    board.change(state=AssistantState.WORKING)
    response = await client.get("/api/assistant")
    assert response.status == 200
    found = response.json()["assistant"]
    reply = found.pop("reply")
    assert reply == {
        "messageId": "asst_1", "text": "nob", "chunkIndex": 2, "reasoningCharacters": 0,
        "tools": [],
    }  # fmt: skip
    found.pop("since")
    assert found == {"enabled": True, "state": "working", "name": "Ann", "driver": "demo"}
    bootstrap = {"enabled": True, "state": "working"}
    assert {name: found[name] for name in bootstrap} == bootstrap


async def test_a_message_is_taken_and_its_reply_told_when_there_is_one(client, board, assistant):
    assistant.answers["SayAside"] = SaidAside(message=ASKED)
    board.put("asst_1", AsideView(state="queued"))
    response = await client.post("/api/assistant/messages", SAY)
    assert response.status == 202
    assert response.json() == {
        "message": {
            "messageId": "asst_1", "role": "user", "content": "who works?",
            "createdAt": "2026-01-01T00:00:00.000Z", "clientCommandId": "c", "state": "queued",
        }
    }  # fmt: skip
    assert assistant.asked == [SayAside(client_command_id="c", content="who works?")]
    assistant.answers["SayAside"] = SaidAside(message=ASKED, reply=ANSWERED)
    response = await client.post("/api/assistant/messages", SAY)
    assert response.status == 200
    assert response.json()["reply"]["content"] == "nobody"
    assert response.json()["reply"]["replyToMessageId"] == "asst_1"


async def test_a_page_says_how_each_message_stands(client, board, store):
    page = SidePage(messages=(ASKED, ANSWERED), previous_before_id="asst_1")
    store.answers["Read"] = page
    board.put("asst_1", AsideView(state="failed", error=ErrorView(code="X", message="why")))
    response = await client.get("/api/assistant/messages?limit=2&beforeId=asst_9")
    found = response.json()
    assert found["previousPage"] == {"beforeId": "asst_1"}
    assert [message.get("state") for message in found["messages"]] == ["failed", None]
    assert found["messages"][0]["error"] == {"code": "X", "message": "why"}
    assert (store.asked[0].query.before_id, store.asked[0].query.limit) == ("asst_9", 2)


async def test_replies_are_rendered_on_request_and_what_was_asked_is_not(client, store):
    reply = attrs.evolve(ANSWERED, content="| a |\n|---|\n| <script>x</script> |")
    store.answers["Read"] = SidePage(messages=(ASKED, reply), previous_before_id=None)
    plain = await client.get("/api/assistant/messages")
    assert [message.get("view") for message in plain.json()["messages"]] == [None, None]
    response = await client.get("/api/assistant/messages?render=html")
    asked, answered = response.json()["messages"]
    assert "view" not in asked
    assert "<td>&lt;script&gt;x&lt;/script&gt;</td>" in answered["view"]["html"]
    long = attrs.evolve(ANSWERED, content="a" * 70_000)
    store.answers["Read"] = SidePage(messages=(long,), previous_before_id=None)
    response = await client.get("/api/assistant/messages?render=html")
    assert "view" not in response.json()["messages"][0]


async def test_a_cancel_is_passed_on(client, board, assistant):
    assistant.answers["CancelAside"] = None
    response = await client.post("/api/assistant/cancel", {"clientCommandId": "x"})
    assert (response.status, response.json()["assistant"]["state"]) == (202, "idle")
    assert assistant.asked == [CancelAside(client_command_id="x")]


@pytest.mark.parametrize("path", ["messages", "cancel"])
async def test_without_an_assistant_nothing_is_done_and_why_is_said(
    client, services, assistant, path
):
    body = SAY if path == "messages" else {"clientCommandId": "x"}
    services.assistant.board.change(last_error=ErrorView(code="X", message="It failed too often."))
    response = await client.post(f"/api/assistant/{path}", body)
    assert (response.status, response.code) == (409, "SESSION_NOT_AVAILABLE")
    assert "It failed too often." in response.json()["error"]["message"]
    assert assistant.asked == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"content": "x"}, "INVALID_ENVELOPE"),
        ({**SAY, "from": "user:web"}, "SENDER_FIELD_FORBIDDEN"),
        ({**SAY, "to": ["agent:a"]}, "INVALID_ENVELOPE"),
    ],
)
async def test_what_cannot_be_read_is_refused(client, board, assistant, body, code):
    response = await client.post("/api/assistant/messages", body)
    assert (response.status, response.code) == (400, code)
    assert assistant.asked == []


async def test_a_refusal_is_passed_on(client, board, assistant):
    assistant.answers["SayAside"] = GroupXError(ErrorCode.QUEUE_CAPACITY_REACHED, "full")
    response = await client.post("/api/assistant/messages", SAY)
    assert (response.status, response.code) == (429, "QUEUE_CAPACITY_REACHED")
    assert orjson.loads(response.body)["error"]["message"] == "full"
