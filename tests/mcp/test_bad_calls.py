"""What no caller may do, sent over a real socket: the named error, nothing stored, nobody held."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import httpx2
import pytest
import trio

from groupx.actors.messages import OpenRoom
from groupx.adapters.contract import McpServer, Started
from groupx.domain.errors import ErrorCode
from groupx.mcp.desks import opener
from tests.actors.fakes import FakePrompt
from tests.mcp.acting import NEWEST, Stage, acting, says
from tests.mcp.serving import client, serving
from tests.mcp.test_wire import HEADERS, OPENING

pytestmark = [
    pytest.mark.slow,
    # The client library leaves its own streams to the collector when it is cancelled.
    pytest.mark.filterwarnings("ignore:Async generator 'httpx2:ResourceWarning"),
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"
    ),
]
A, B = "agent:a", "agent:b"
HUGE = "x" * 1_000_000


@attrs.frozen(kw_only=True)
class House:
    """A room with its door for agents, and a turn of `a` that runs as long as the test."""

    stage: Stage
    port: int
    prompt: FakePrompt
    turn: str

    @property
    def bearer(self) -> McpServer:
        """Of a's session."""
        server = self.prompt.session.profile.mcp
        assert server is not None
        return server

    def newest(self) -> int:
        """The seq of the newest event that a call may have made."""
        return self.stage.room.rows(NEWEST)[0][0]


@asynccontextmanager
async def house(tmp_path, *others: str) -> AsyncIterator[House]:
    folder = tmp_path / "run"
    folder.mkdir()
    async with acting(folder, "a", "b", *others) as stage:

        async def load():
            return opener(stage.face)

        async with serving(tmp_path, lambda _: stage.room.callers, load) as port:
            with trio.fail_after(20):
                [turn] = await stage.room.send(A, content="go")
                prompt = await stage.room.programs[A].next_prompt()
                prompt.emit(Started("n"))
                await stage.room.until(lambda: stage.room.status(turn) == "running")
                yield House(stage=stage, port=port, prompt=prompt, turn=turn)
                prompt.answer()
                await stage.room.ended(turn)


def said(result):
    return json.loads(result.content[0].text)


ASK = {"to": ["b"], "content": "?"}
BAD_CALLS = (
    ("send", ASK | {"from": "user:web"}, "SENDER_FIELD_FORBIDDEN"),
    ("ask", ASK | {"actor": B}, "SENDER_FIELD_FORBIDDEN"),
    ("publish", {"content": "x", "provenance": {}}, "SENDER_FIELD_FORBIDDEN"),
    ("read", {"actor": B}, "SENDER_FIELD_FORBIDDEN"),
    ("send", ASK | {"parentTurnId": "turn_x"}, "INVALID_ENVELOPE"),
    ("ask", ASK | {"bindingId": "binding_x"}, "SENDER_FIELD_FORBIDDEN"),
    ("steer", {"action": "nudge", "reason": "r", "content": "c", "to": "b"}, "INVALID_ENVELOPE"),
    ("ask", ASK | {"timeoutMs": 10**9}, "INVALID_ENVELOPE"),
    ("send", ASK | {"to": "b"}, "INVALID_ENVELOPE"),
    ("send", ASK | {"content": " "}, "INVALID_ENVELOPE"),
    ("send", ASK | {"replyToEventId": "evt_nobody"}, "NOT_FOUND"),
    ("publish", {"content": "x", "replyToEventId": "$elsewhere"}, "NOT_FOUND"),
    ("collect", {"messageEventId": "$elsewhere"}, "NOT_FOUND"),
    ("collect", {"messageEventId": "$source"}, "NOT_FOUND"),
    ("read", {"eventId": "$elsewhere"}, "NOT_FOUND"),
    ("send", ASK | {"to": ["nobody"]}, "UNKNOWN_TARGET"),
    ("ask", ASK | {"to": ["user:web"]}, "UNKNOWN_TARGET"),
    ("ask", ASK | {"to": ["a"]}, "CAUSAL_CYCLE"),
    ("send", ASK | {"to": ["c"]}, "TARGET_NOT_RUNNING"),
    ("send", ASK | {"content": HUGE}, "MESSAGE_TOO_LARGE"),
    ("ask", ASK | {"content": HUGE}, "MESSAGE_TOO_LARGE"),
    ("publish", {"content": HUGE}, "MESSAGE_TOO_LARGE"),
    ("watch", {"until": "terminal"}, "SUPERVISION_WATCH_REQUIRED"),
    ("steer", {"action": "nudge", "reason": "r", "content": "c"}, "SUPERVISION_WATCH_REQUIRED"),
    ("memory_remember", {"content": "x", "author": B}, "SENDER_FIELD_FORBIDDEN"),
    ("core_memory_remember", {"content": "x", "subject": B}, "INVALID_ENVELOPE"),
    ("memory_remember", {"content": HUGE}, "MESSAGE_TOO_LARGE"),
    ("memory_remember", {"content": "x", "sourceEventId": "$elsewhere"}, "NOT_FOUND"),
    ("identity_remember", {"content": "x", "subject": "nobody"}, "UNKNOWN_ACTOR"),
    ("identity_remember", {"content": "x", "supersedes": "identity_none"}, "NOT_FOUND"),
    ("memory_search", {"limit": 10**6}, "INVALID_ENVELOPE"),
    ("fly", {}, "NOT_FOUND"),
)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_every_bad_call_is_answered_and_stores_nothing(tmp_path, mode):
    async with house(tmp_path, "c") as it:
        await it.stage.room.control("agent:c", "stop")
        await it.stage.room.until(
            lambda: it.stage.room.directory.view("agent:c").state == "stopped"
        )
        named = {"$source": it.prompt.source, "$elsewhere": "evt_of_another_room"}
        before = it.newest()
        async with client(it.port, it.bearer, mode) as tools:
            for tool, arguments, code in BAD_CALLS:
                given = {
                    name: named.get(value, value) if isinstance(value, str) else value
                    for name, value in arguments.items()
                }
                result = await tools.call_tool(tool, given)
                assert result.is_error, (tool, arguments)
                assert said(result)["error"]["code"] == code, (tool, str(arguments)[:200])
            assert it.newest() == before
            assert not (await tools.call_tool("read", {})).is_error
            kept = await tools.call_tool("memory_remember", {"content": "x"})
            assert said(kept)["record"]["authorActorId"] == A


async def test_a_command_id_is_of_one_tool_and_one_request_whoever_sends_it_twice(tmp_path):
    async with house(tmp_path) as it:
        it.stage.script("b", says("b", 0))
        command = {"clientCommandId": "1"}
        async with client(it.port, it.bearer) as one, client(it.port, it.bearer, "legacy") as two:
            first = said(await one.call_tool("publish", {"content": "x"} | command))
            assert said(await two.call_tool("publish", {"content": "x"} | command)) == first
            before = it.newest()
            for tool, given in (("send", ASK), ("ask", ASK), ("publish", {"content": "y"})):
                result = said(await two.call_tool(tool, given | command))
                assert result["error"]["code"] == ErrorCode.CLIENT_COMMAND_CONFLICT
            assert it.newest() == before


async def test_a_client_that_vanishes_in_a_wait_waits_no_more(tmp_path):
    async with house(tmp_path) as it:
        room = it.stage.room
        async with trio.open_nursery() as nursery:

            async def ask():
                async with client(it.port, it.bearer) as tools:
                    await tools.call_tool("ask", ASK | {"wakeMe": True})

            nursery.start_soon(ask)
            child = await room.programs[B].next_prompt()
            nursery.cancel_scope.cancel()
        it.stage.script("a", says("woken", 0))
        child.answer("late")
        await room.until(lambda: room.rows("SELECT state FROM completion_claims") == [("queued",)])
        async with client(it.port, it.bearer) as tools:
            late = said(await tools.call_tool("collect", {"messageEventId": message_of(room)}))
        assert late["results"][0]["content"] == "late"


def message_of(room):
    """The one message that `a` sent."""
    [(message,)] = room.rows(
        "SELECT source_event_id FROM turns WHERE target_actor_id = ? AND parent_turn_id NOTNULL", B
    )
    return message


async def test_after_the_turn_and_after_the_session_a_bearer_does_nothing(tmp_path):
    async with house(tmp_path) as it:
        room = it.stage.room
        async with client(it.port, it.bearer) as tools:
            it.prompt.answer()
            await room.ended(it.turn)
            before = it.newest()
            for tool, given in (("send", ASK), ("publish", {"content": "x"}), ("read", {})):
                result = said(await tools.call_tool(tool, given))
                assert result["error"]["code"] == ErrorCode.SESSION_NOT_AVAILABLE
            assert it.newest() == before
        await room.control(A, "stop")
        await room.until(lambda: room.directory.view(A).state == "stopped")
        headers = HEADERS | {"authorization": f"Bearer {it.bearer.bearer}"}
        async with httpx2.AsyncClient() as http:
            url = f"http://127.0.0.1:{it.port}/mcp"
            response = await http.post(url, json=OPENING, headers=headers)
        assert response.status_code == 401


async def test_what_was_said_in_another_room_is_unknown(tmp_path):
    async with house(tmp_path) as it:
        room = it.stage.room
        elsewhere = it.prompt.source
        it.prompt.answer()
        await room.ended(it.turn)
        await room.broker.ref.ask(OpenRoom(client_command_id="room"))

        async def tries(prompt):
            server = prompt.session.profile.mcp
            async with client(it.port, server) as tools:
                before = it.newest()
                for tool, given in (
                    ("read", {"eventId": elsewhere}),
                    ("collect", {"messageEventId": elsewhere}),
                    ("send", ASK | {"replyToEventId": elsewhere}),
                ):
                    result = said(await tools.call_tool(tool, given))
                    assert result["error"]["code"] == ErrorCode.NOT_FOUND, tool
                assert it.newest() == before
                read = said(await tools.call_tool("read", {"afterSeq": 0}))
                assert elsewhere not in str(read)

        await it.stage.run("a", tries)
