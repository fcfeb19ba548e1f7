"""Codex behind a WebSocket that GroupX connects to: the same driver, another transport."""

import attrs
import pytest
import trio
from trio_websocket import wrap_server_stream

from conformance.app_server_scenario import BEGINS, INTERRUPT, INTERRUPTED, ends, says
from conformance.scenario import HANG
from groupx.adapters.codex.adapter import CodexAdapter
from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    ContentDelta,
    Exited,
    Failed,
    SessionProfile,
    Started,
)
from groupx.adapters.websocket import LISTEN
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts
from tests.adapters.codex.socket_server import serve

TOLD = [*BEGINS, says("hello "), says("there"), ends()]


@pytest.fixture
def profile(tmp_path):
    return SessionProfile(
        agent_id="codex",
        cwd=str(tmp_path),
        command=("ws://127.0.0.1:1",),
        timeouts=Timeouts(handshake=2_000, cancel=1_000, close=1_000),
        run_dir=str(tmp_path),
    )


@pytest.fixture(params=["ws", "unix"])
def scheme(request):
    return request.param


async def opened(nursery, profile, server, spawner):
    told = attrs.evolve(profile, command=(server.address,))
    return await nursery.start(CodexAdapter().serve, told, spawner)


async def prompted(session, text="go"):
    events = []
    with trio.fail_after(10):
        end = await session.prompt(text, events.append, attempt_id="attempt-7")
    return end, events


def text_of(events):
    return "".join(event.text for event in events if isinstance(event, ContentDelta))


async def test_a_conversation(profile, spawner, tmp_path, scheme):
    async with serve(spawner, tmp_path, scheme, {"turn/start": [TOLD, TOLD]}) as server:
        async with trio.open_nursery() as nursery:
            session = await opened(nursery, profile, server, spawner)
            assert session.facts.argv == (server.address,)
            assert session.facts.native_session_id == "thread-1"
            end, events = await prompted(session, "ü\u2028")
            assert (type(end), text_of(events)) == (Completed, "hello there")
            assert events[0] == Started("turn-1")
            [start] = server.sent("turn/start")
            assert start["params"]["input"] == [{"type": "text", "text": "ü\u2028"}]
            assert start["params"]["clientUserMessageId"] == "attempt-7"
            assert (await prompted(session))[0] == Completed()
            await session.close()
            await session.closed.wait()
            assert not session.usable
        await server.closed.wait()
        async with trio.open_nursery() as nursery:  # the program has outlived it
            session = await opened(nursery, profile, server, spawner)
            session.kill()
            await session.closed.wait()
        assert server.connections == 2


async def test_a_cancel(profile, spawner, tmp_path):
    steps = [*BEGINS, says("a"), INTERRUPT, INTERRUPTED]
    async with (
        serve(spawner, tmp_path, "ws", {"turn/start": [steps]}) as server,
        trio.open_nursery() as nursery,
    ):
        session = await opened(nursery, profile, server, spawner)
        begun = trio.Event()

        async def cancel():
            await begun.wait()
            await session.cancel()

        nursery.start_soon(cancel)
        assert await session.prompt("go", lambda _: begun.set()) == Cancelled()
        assert session.usable
        session.kill()


@pytest.mark.parametrize("how", ["closed", "dropped", "killed"])
async def test_a_lost_connection_ends_the_turn_as_an_exit_does(profile, spawner, tmp_path, how):
    async with (
        serve(spawner, tmp_path, "ws", {"turn/start": [[*BEGINS, says("a"), HANG]]}) as server,
        trio.open_nursery() as nursery,
    ):
        session = await opened(nursery, profile, server, spawner)

        def lose(event):
            if isinstance(event, ContentDelta):
                nursery.start_soon(losing)

        async def losing():
            if how == "closed":
                await server.now.aclose()
            elif how == "dropped":
                await server.now._stream.aclose()
            else:
                session.kill()

        with trio.fail_after(10):
            assert await session.prompt("go", lose) == Exited(returncode=None)
            await session.closed.wait()
            before = trio.current_time()
            await session.close()
            assert trio.current_time() - before < 0.5, "it said goodbye to nobody"
        assert not session.usable


async def test_a_message_over_the_bound_cannot_be_trusted(profile, spawner, tmp_path, monkeypatch):
    monkeypatch.setattr("groupx.adapters.websocket.MAX_LINE_BYTES", 4096)
    steps = [*BEGINS, says("x" * 5000), HANG]
    async with (
        serve(spawner, tmp_path, "ws", {"turn/start": [steps]}) as server,
        trio.open_nursery() as nursery,
    ):
        session = await opened(nursery, profile, server, spawner)
        end, _ = await prompted(session)
        assert isinstance(end, Failed)
        assert end.code is ErrorCode.PROTOCOL_INVALID_MESSAGE
        assert "over the bound" in end.message


async def refused(profile, spawner, address):
    told = attrs.evolve(profile, command=(address,))
    with pytest.raises(AdapterStartError) as caught:
        await CodexAdapter().serve(told, spawner)
    report = await CodexAdapter().probe(told, spawner)
    assert (report.found, report.problem) == (False, caught.value.message)
    assert caught.value.code is ErrorCode.ADAPTER_START_FAILED
    assert address in caught.value.message
    assert "Nothing was sent to it" in caught.value.message
    return caught.value


async def test_nobody_listens(profile, spawner, tmp_path):
    await refused(profile, spawner, f"unix://{tmp_path}/nobody")
    listener = trio.socket.socket()
    await listener.bind(("127.0.0.1", 0))  # bound, not listening
    await refused(profile, spawner, f"ws://127.0.0.1:{listener.getsockname()[1]}")
    listener.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "HTTP status 403."),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP status 200."),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n", "WebSocket server"),
        (b"\0\1\r\n\r\n", "WebSocket server"),
        (b"220 mail.example ESMTP\r\n", "WebSocket server"),
        (b"", "WebSocket server"),
    ],
)
async def test_somebody_else_listens(profile, spawner, answer, words):
    async def answers(stream):
        await stream.receive_some(4096)
        await stream.send_all(answer)
        if not answer:
            await stream.aclose()

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    impatient = attrs.evolve(profile, timeouts=Timeouts(handshake=60, request=60))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, answers, [listener])
        address = f"ws://127.0.0.1:{listener.socket.getsockname()[1]}"
        error = await refused(impatient, spawner, address)
        assert words in error.message
        assert not set("()'[]").intersection(error.message), "a value of Python's"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("when", ["at once", "when asked"])
async def test_one_that_hangs_up_was_not_started_by_us(profile, spawner, when):
    async def hangs_up(stream):
        async with trio.open_nursery() as nursery:
            connection = await (await wrap_server_stream(nursery, stream)).accept()
            if when == "when asked":
                await connection.get_message()
            await connection.aclose()
            nursery.cancel_scope.cancel()

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, hangs_up, [listener])
        address = f"ws://127.0.0.1:{listener.socket.getsockname()[1]}"
        told = attrs.evolve(profile, command=(address,))
        with pytest.raises(AdapterStartError) as caught:
            await CodexAdapter().serve(told, spawner)
        nursery.cancel_scope.cancel()
    message = caught.value.message
    assert message.startswith(f"{address} closed the connection before it was ready. ")
    assert message.endswith(LISTEN)
    assert "Install" not in message


async def test_one_that_refuses_is_no_program_to_install(profile, spawner, tmp_path):
    refusal = {"initialize": [{"error": {"code": -32600, "message": "Too old."}}]}
    async with serve(spawner, tmp_path, "ws", refusal) as server:
        told = attrs.evolve(profile, command=(server.address,))
        with pytest.raises(AdapterStartError) as caught:
            await CodexAdapter().serve(told, spawner)
    assert caught.value.message.endswith(f"Too old. Nothing was sent to it. {LISTEN}")


async def test_the_probe_finds_who_listens(profile, spawner, tmp_path, scheme):
    async with serve(spawner, tmp_path, scheme) as server:
        told = attrs.evolve(profile, command=(server.address,))
        report = await CodexAdapter().probe(told, spawner)
        assert (report.found, report.path, report.problem) == (True, server.address, None)
