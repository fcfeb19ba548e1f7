"""What a program sees of /mcp: its own desk, whoever it is, in both generations of the protocol."""

import json

import httpx2
import pytest
import trio

from groupx.domain.errors import ErrorCode
from groupx.mcp.desk import MAX_CLIENT_SESSIONS

HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-06-18",
}
OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}

generations = pytest.mark.parametrize("mode", ["legacy", "auto"])
pytestmark = [
    pytest.mark.slow,
    # The client library leaves its own streams to the collector when it is cancelled.
    pytest.mark.filterwarnings("ignore:Async generator 'httpx2:ResourceWarning"),
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"
    ),
]


def said(result):
    return json.loads(result.content[0].text)


@generations
async def test_the_caller_is_who_the_bearer_belongs_to(endpoint, mode):
    with endpoint.member("alice") as alice, endpoint.member("bob") as bob:
        async with endpoint.client(alice, mode) as one, endpoint.client(bob, mode) as other:
            assert said(await one.call_tool("who", {}))["actorId"] == "agent:alice"
            assert said(await other.call_tool("who", {}))["actorId"] == "agent:bob"
            listed = await one.list_tools()
    assert [tool.name for tool in listed.tools] == ["who", "hang", "fail", "much"]


@generations
async def test_a_client_that_leaves_ends_its_call(endpoint, mode):
    with endpoint.member() as alice, trio.fail_after(10):
        async with trio.open_nursery() as nursery:

            async def call():
                async with endpoint.client(alice, mode) as client:
                    await client.call_tool("hang", {})

            nursery.start_soon(call)
            await endpoint.bench.begun.wait()
            nursery.cancel_scope.cancel()
        await endpoint.bench.cancelled.wait()


@generations
async def test_a_call_that_takes_long_says_that_it_is_alive(endpoint, mode):
    heard = trio.Event()

    async def on_progress(*_):
        heard.set()

    with endpoint.member() as alice, trio.fail_after(10):
        async with endpoint.client(alice, mode) as client, trio.open_nursery() as nursery:
            nursery.start_soon(lambda: client.call_tool("hang", {}, progress_callback=on_progress))
            await heard.wait()
            nursery.cancel_scope.cancel()


async def test_a_call_ends_with_its_session_and_the_bearer_opens_nothing_more(endpoint):
    with trio.fail_after(10):
        with endpoint.member() as alice:
            session = await opened(endpoint, alice)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(call_raw, endpoint, alice, session, "hang")
                await endpoint.bench.begun.wait()
                nursery.cancel_scope.cancel()
        await endpoint.bench.cancelled.wait()
        response = await post(endpoint, alice, OPENING)
    assert response.status_code == 401
    assert response.json()["error"]["code"] == ErrorCode.UNAUTHORIZED


async def test_another_bearer_does_not_reach_a_session(endpoint):
    with endpoint.member("alice") as alice, endpoint.member("bob") as bob:
        session = await opened(endpoint, alice)
        response = await call_raw(endpoint, bob, session, "who")
    assert response.status_code == 404


async def test_two_clients_with_one_bearer_are_one_caller(endpoint):
    with endpoint.member("alice") as alice:
        async with endpoint.client(alice) as one, endpoint.client(alice, "legacy") as other:
            assert said(await one.call_tool("who", {})) == said(await other.call_tool("who", {}))


async def test_a_program_that_opens_one_session_after_another_gets_no_more(endpoint):
    with endpoint.member("alice") as alice, endpoint.member("bob") as bob:
        sessions = [await opened(endpoint, alice) for _ in range(MAX_CLIENT_SESSIONS)]
        refused = await post(endpoint, alice, OPENING)
        assert refused.status_code == 503
        assert "Too many open sessions" in refused.text
        assert (await call_raw(endpoint, alice, sessions[0], "who")).status_code == 200
        assert (await post(endpoint, bob, OPENING)).status_code == 200


@pytest.mark.parametrize("path", ["/mcp", "/mcp/operator", "/mcp/", "/mcp/x"])
@pytest.mark.parametrize("bearer", [None, "Bearer x", "Basic x", "Bearer"])
async def test_without_a_bearer_nothing_is_told(endpoint, path, bearer):
    headers = HEADERS | ({} if bearer is None else {"authorization": bearer})
    async with httpx2.AsyncClient() as http:
        url = f"http://127.0.0.1:{endpoint.port}{path}"
        response = await http.post(url, json=OPENING, headers=headers)
    assert response.status_code == 401


async def test_a_member_has_no_seat_at_the_operators_desk(endpoint):
    with endpoint.member() as alice:
        response = await post(endpoint, alice, OPENING, path="/mcp/operator")
    assert response.status_code == 401


async def test_a_web_page_does_not_reach_it(endpoint):
    with endpoint.member() as alice:
        response = await post(endpoint, alice, OPENING, origin="http://evil.example")
    assert response.json()["error"]["code"] == ErrorCode.FORBIDDEN_ORIGIN


async def test_a_defect_of_ours_is_an_answer_to_its_call_only(endpoint):
    with endpoint.member() as alice:
        async with endpoint.client(alice) as client:
            for name in ("fail", "much"):
                result = await client.call_tool(name, {})
                assert result.is_error
                assert said(result)["error"]["code"] == ErrorCode.INTERNAL_ERROR
            unknown = await client.call_tool("who", {"from": "user:web"})
            assert said(unknown)["error"]["code"] == ErrorCode.SENDER_FIELD_FORBIDDEN
            unknown = await client.call_tool("who", {"extra": 1})
            assert said(unknown)["error"]["code"] == ErrorCode.INVALID_ENVELOPE
            assert not (await client.call_tool("who", {})).is_error


# --- raw requests -----------------------------------------------------------------------------


async def post(endpoint, server, message, *, path="/mcp", **headers):
    async with httpx2.AsyncClient(timeout=45) as http:
        return await http.post(
            f"http://127.0.0.1:{endpoint.port}{path}",
            json=message,
            headers=HEADERS | {"authorization": f"Bearer {server.bearer}"} | headers,
        )


async def opened(endpoint, server):
    response = await post(endpoint, server, OPENING)
    return response.headers["mcp-session-id"]


async def call_raw(endpoint, server, session, name):
    message = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": name, "arguments": {}},
    }
    return await post(endpoint, server, message, **{"mcp-session-id": session})
