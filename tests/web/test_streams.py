"""Both streams over real sockets: no gap, no repeat, an honest beginning and a prompt end."""

import contextlib
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import orjson
import pytest
import trio
import trio_websocket

from groupx.actors.bells import LaneBells
from groupx.actors.event_hub import EventHub, EventHubActor
from groupx.actors.messages import Write
from groupx.actors.store_writer import StoreWriterActor
from groupx.domain.commands import AcceptCommand, CommandKey
from groupx.domain.commits import CommitFacts
from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.errors import GroupXError
from groupx.domain.ids import MAIN_ROOM, USER_WEB, WEB_BINDING, ActorId, IdSource
from groupx.domain.limits import Limits
from groupx.domain.notices import Notice
from groupx.domain.roster import AgentState, RosterEntry
from groupx.domain.runs import OpenRun
from groupx.domain.views import AgentView, LiveTurn
from groupx.store.inline import InlineStore
from groupx.store.opening import open_ledger
from groupx.store.transaction import Transaction
from groupx.store.transactions.accept import accept
from groupx.store.transactions.bindings import open_run
from groupx.supervisor.listener import bind_port
from groupx.web import guards, revocation, streams
from groupx.web.app import create_guards, open_room
from groupx.web.login import LoginCodes
from groupx.web.server import WebServer
from groupx.web.services import (
    DatabaseFacts,
    PartHealth,
    RuntimeFacts,
    RuntimeStatus,
    Services,
    Status,
    StoreHealth,
)
from groupx.web.streams import sse, websocket
from groupx.web.streams.first_frame import read_ping, read_subscribe
from groupx.web.token import Token, rotate_token

ADA = ActorId("agent:ada")
Json = dict[str, Any]
pytestmark = pytest.mark.slow


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@attrs.frozen
class Directory:
    def views(self) -> list[AgentView]:
        return [
            AgentView(
                actor_id=ADA,
                id="ada",
                name="Ada",
                driver="demo",
                enabled=True,
                state=AgentState.IDLE,
                since="2026-01-01T00:00:00.000Z",
                cwd="/",
            )
        ]


def say(tx: Transaction, texts: tuple[str, ...]) -> None:
    for text in texts:
        tx.emit(
            EventDraft(
                type="message.created",
                room_id=MAIN_ROOM,
                actor_id=USER_WEB,
                correlation_id="corr_1",
                body={"content": text},
            )
        )


class Room:
    """A ledger, a hub and the web's real app on a real port; no agents."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.ids = IdSource(now_ms, os.urandom)
        self.hub = EventHub(limits)
        self.writer = StoreWriterActor(self._open, self.hub, LaneBells(()))
        self.store = self.writer.ref
        listening = bind_port("127.0.0.1", 0)
        self.port = listening.getsockname()[1]
        self.token = Token(folder / "token")
        self.services = self._services(limits)
        guards = create_guards(self.services)
        open_room(guards, self.services)
        self.server = WebServer(listening, guards)  # type: ignore[arg-type]

    def _open(self, on_commit: Callable[[CommitFacts], None]) -> InlineStore:
        return InlineStore(
            lambda: open_ledger(
                ":memory:", now_iso="2026-02-01T00:00:00.000Z", database_id="database_x"
            ),
            ids=self.ids,
            now_ms=now_ms,
            on_commit=on_commit,
        )

    def _services(self, limits: Limits) -> Services:
        nobody: Any = None
        return Services(
            facts=RuntimeFacts(
                version="0",
                channel="source",
                started_at="2026-01-01T00:00:00.000Z",
                runtime_key="k",
                runtime_scope_key="s",
                port=self.port,
            ),
            status=lambda: RuntimeStatus(status=Status.READY),
            request_shutdown=lambda: None,
            request_restart=lambda: None,
            setup=nobody,
            token=self.token,
            logins=LoginCodes(self.token),
            mcp=nobody,
            broker=nobody,
            assistant=nobody,
            context=nobody,
            store=self.store,
            directory=Directory(),
            hub=self.hub,
            limits=limits,
            ids=self.ids,
            now_ms=now_ms,
            database=DatabaseFacts(path=":memory:", format=10, database_id="database_x"),
            store_health=lambda: StoreHealth(state="ok", pending=0),
            rollups_health=PartHealth,
            search_health=PartHealth,
            backups=nobody,
        )

    # --- what happens in it -----------------------------------------------------------------

    async def say(self, *texts: str) -> None:
        await self.store.ask(Write(say, texts))

    async def ask_ada(self) -> str:
        """A message that wakes Ada: its turn."""
        command = AcceptCommand(
            key=CommandKey(
                binding_id=WEB_BINDING,
                client_command_id="c1",
                command_type="message.send",
                request={},
            ),
            actor_id=USER_WEB,
            to=(ADA,),
            content="hello",
            roster=(RosterEntry(actor_id=ADA, adapter_id="demo"),),
            limits=Limits(),
            provenance=Provenance(source_kind="web"),
        )
        answer = await self.store.ask(Write(accept, command))
        return answer.turns[0].turn_id

    def delta(self, turn_id: str, chunk: int) -> None:
        body = {"turnId": turn_id, "chunkIndex": chunk, "text": "x"}
        self.publish(Notice(type="turn.content.delta", body=body))

    def agent_changed(self, name: str) -> None:
        self.publish(Notice(type="agent.changed", body={"agent": {"name": name}}))

    def publish(self, notice: Notice) -> None:
        at = "2026-01-01T00:00:00.000Z"
        self.hub.publish(notice.envelope(MAIN_ROOM, event_id=self.ids.new("evt"), occurred_at=at))

    async def shown(self) -> None:
        """Everything published so far is visible to readers."""
        while self.hub.visible < self.hub.ring.end:
            await self.hub.next_wake()

    # --- its clients ------------------------------------------------------------------------

    @asynccontextmanager
    async def sse(self, query: str = "", **headers: str) -> AsyncIterator["SseClient"]:
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        async with stream:
            lines = [
                f"GET /api/events{query} HTTP/1.1",
                f"Host: 127.0.0.1:{self.port}",
                f"Authorization: Bearer {self.bearer()}",
                *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
            ]
            await stream.send_all("\r\n".join([*lines, "", ""]).encode())
            client = SseClient(stream)
            await client.begin()
            yield client

    @asynccontextmanager
    async def ws(self) -> AsyncIterator["WsClient"]:
        cookie = f"groupx_{self.port}={self.token.cookie}"
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        async with stream, trio.open_nursery() as nursery:
            connection = await trio_websocket.wrap_client_stream(
                nursery,
                stream,
                f"127.0.0.1:{self.port}",
                "/api/ws",
                extra_headers=[("Cookie", cookie), ("Origin", f"http://127.0.0.1:{self.port}")],
            )
            yield WsClient(connection)
            nursery.cancel_scope.cancel()

    def bearer(self) -> str:
        return (self.folder / "token").read_text().strip()


class SseClient:
    """A response of the stream, read event by event."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._raw = b""
        self._body = b""
        self.status = 0
        self.ids: list[str] = []

    async def begin(self) -> None:
        while b"\r\n\r\n" not in self._raw:
            self._raw += await self._stream.receive_some()
        head, _, self._raw = self._raw.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode().lower()

    async def _chunk(self) -> bool:
        """One more chunk of the body; False at its end."""
        while True:
            size, found, rest = self._raw.partition(b"\r\n")
            if found and len(rest) >= int(size, 16) + 2:
                length = int(size, 16)
                self._body += rest[:length]
                self._raw = rest[length + 2 :]
                return length > 0
            data = await self._stream.receive_some()
            if not data:
                return False
            self._raw += data

    async def block(self) -> str | None:
        """The next block of lines; None at the end of the stream."""
        while b"\n\n" not in self._body:
            if not await self._chunk():
                return None
        block, _, self._body = self._body.partition(b"\n\n")
        return block.decode()

    async def event(self) -> Json | None:
        while True:
            block = await self.block()
            if block is None:
                return None
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            if "data" in fields:
                assert "event" not in fields
                envelope = orjson.loads(fields["data"])
                assert fields.get("id") == (
                    None if envelope["seq"] is None else str(envelope["seq"])
                )
                return envelope

    async def durable(self, count: int) -> list[str]:
        return await contents(self.event, count)

    async def until(self, event_type: str) -> Json:
        return await until(self.event, event_type)


@attrs.frozen
class WsClient:
    connection: trio_websocket.WebSocketConnection
    together: list[Json] = attrs.field(factory=list)

    async def send(self, value: Any) -> None:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        await self.connection.send_message(text)

    async def frame(self) -> Json:
        """The next one; those that came together one after another."""
        while not self.together:
            said = orjson.loads(await self.connection.get_message())
            self.together.extend(said if isinstance(said, list) else [said])
        return self.together.pop(0)

    async def subscribe(self, after_seq: int | None = None, render: str | None = None) -> Json:
        wanted = {"roomId": MAIN_ROOM, "afterSeq": after_seq, "render": render}
        await self.send({"subscribe": wanted})
        return (await self.frame())["subscribed"]

    async def durable(self, count: int) -> list[str]:
        return await contents(self.frame, count)

    async def until(self, event_type: str) -> Json:
        return await until(self.frame, event_type)

    async def closed(self) -> tuple[int, str]:
        """The close code and reason, once everything before it has been read."""
        with contextlib.suppress(trio_websocket.ConnectionClosed):
            while True:
                await self.connection.get_message()
        reason = self.connection.closed
        assert reason is not None
        return reason.code, reason.reason or ""


async def contents(next_event: Any, count: int) -> list[str]:
    found: list[str] = []
    while len(found) < count:
        sent = await next_event()
        assert ("view" in sent) is ("event" in sent)
        event = sent.get("event", sent)
        if event["seq"] is not None:
            found.append(event["body"]["content"])
    return found


async def rest(client: SseClient) -> None:
    """Read a stream to its end."""
    while await client.event() is not None:
        pass


async def until(next_event: Any, event_type: str) -> Json:
    while True:
        event = await next_event()
        if event["type"] == event_type:
            return event


@asynccontextmanager
async def running(folder: Path, limits: Limits | None = None) -> AsyncIterator[Room]:
    room = Room(folder, limits or Limits())
    await room.writer.start()
    await room.store.ask(Write(open_run, OpenRun(agents={ADA: "Ada"})))
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            await nursery.start(room.server.run)
            nursery.start_soon(EventHubActor(room.hub).run)
            yield room
            nursery.cancel_scope.cancel()
    await room.writer.close()


# --- no gap, no repeat --------------------------------------------------------------------------

LIMITS = [Limits(), Limits(sse_events=3, sse_bytes=4096)]


@pytest.mark.parametrize("limits", LIMITS, ids=["ring", "store"])
@pytest.mark.parametrize("face", ["sse", "ws", "rendered"])
async def test_replay_and_live_are_one_sequence(tmp_path: Path, limits: Limits, face: str):
    async with running(tmp_path, limits) as room:
        await room.say(*(f"old {n}" for n in range(450)))

        async def speak() -> None:
            for n in range(60):
                await room.say(f"new {n}")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(speak)
            if face == "sse":
                async with room.sse("?afterSeq=0") as client:
                    got = await client.durable(510)
            else:
                async with room.ws() as client:
                    await client.subscribe(0, render="html" if face == "rendered" else None)
                    got = await client.durable(510)
        assert got == [*(f"old {n}" for n in range(450)), *(f"new {n}" for n in range(60))]


async def test_messages_come_with_their_html_to_who_asks_for_it(tmp_path: Path):
    async with running(tmp_path) as room, room.ws() as plain, room.ws() as rendered:
        await plain.subscribe(0)
        await rendered.subscribe(0, render="html")
        await room.say("**now** <b>")
        envelope = await plain.until("message.created")
        while "event" not in (sent := await rendered.frame()):
            assert sent["type"] != "message.created"
        assert sent == {
            "event": envelope,
            "view": {"html": "<p><strong>now</strong> &lt;b&gt;</p>\n"},
        }


@pytest.mark.parametrize("limits", LIMITS, ids=["ring", "store"])
async def test_without_a_cursor_a_stream_begins_now(tmp_path: Path, limits: Limits):
    async with running(tmp_path, limits) as room:
        await room.say("before")
        async with room.sse() as client, room.ws() as socket:
            assert (await socket.subscribe())["throughSeq"] == 1
            await client.until("agent.changed")
            await room.say("after")
            assert await client.durable(1) == ["after"]
            assert await socket.durable(1) == ["after"]


async def test_last_event_id_wins_over_the_url(tmp_path: Path):
    async with running(tmp_path) as room:
        await room.say("one", "two", "three")
        async with room.sse("?afterSeq=0", Last_Event_ID="2") as client:
            assert await client.durable(1) == ["three"]


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("?afterSeq=x", {}),
        ("?afterSeq=-1", {}),
        ("?afterSeq=", {}),
        ("?after=1", {}),
        ("", {"Last_Event_ID": "abc"}),
        ("?afterSeq=1", {"Last_Event_ID": "1e3"}),
        ("", {"Last_Event_ID": "9" * 5000}),
    ],
)
async def test_a_cursor_that_is_no_number_is_refused(
    tmp_path: Path, query: str, headers: dict[str, str]
):
    async with running(tmp_path) as room, room.sse(query, **headers) as client:
        assert client.status == 400


async def test_a_cursor_in_the_future_is_told_so_and_then_lives_from_now(tmp_path: Path):
    async with running(tmp_path) as room:
        await room.say("one")
        async with room.sse("?afterSeq=99") as client, room.ws() as socket:
            await client.until("stream.reset")
            assert (await socket.subscribe(99))["throughSeq"] == 1
            await socket.until("stream.reset")
            await room.say("two")
            assert await client.durable(1) == ["two"]
            assert await socket.durable(1) == ["two"]


# --- what a stream begins with ------------------------------------------------------------------


async def test_every_agent_is_told_after_each_subscribe(tmp_path: Path):
    async with running(tmp_path) as room, room.sse() as client, room.ws() as socket:
        assert "text/event-stream" in client.head
        assert "no-store" in client.head
        event = await client.until("agent.changed")
        assert event["body"]["agent"]["actorId"] == ADA
        subscribed = await socket.subscribe()
        assert [agent["id"] for agent in subscribed["agents"]] == ["ada"]
        assert (await socket.until("agent.changed"))["seq"] is None


async def test_who_joins_in_the_middle_of_a_turn_gets_what_it_said_and_goes_on_from_there(
    tmp_path: Path,
):
    async with running(tmp_path) as room:
        turn_id = await room.ask_ada()
        room.hub.live_begin(turn_id, lambda: LiveTurn(text="xx", chunk_index=2))
        room.delta(turn_id, 0)
        room.delta(turn_id, 1)
        await room.shown()
        async with room.ws() as socket:
            subscribed = await socket.subscribe(2)
            [turn] = subscribed["activeTurns"]
            assert (turn["turnId"], turn["status"]) == (turn_id, "queued")
            assert turn["live"]["text"] == "xx"
            assert turn["live"]["chunkIndex"] == 2
            room.delta(turn_id, 2)
            assert (await socket.until("turn.content.delta"))["body"]["chunkIndex"] == 2


@pytest.mark.parametrize("face", ["sse", "ws"])
async def test_who_catches_up_is_told_nothing_transient_that_is_older_than_its_stream(
    tmp_path: Path, face: str
):
    async with running(tmp_path) as room:
        turn_id = await room.ask_ada()
        await room.say("one")
        room.delta(turn_id, 0)
        room.agent_changed("stale")
        await room.say("two")
        await room.shown()
        seen: list[str] = []

        async def watched(next_event: Any) -> None:
            while (event := await next_event())["body"].get("content") != "three":
                body = event["body"]
                if event["type"] == "turn.content.delta":
                    seen.append(f"delta {body['chunkIndex']}")
                else:
                    seen.append(body.get("content") or body["agent"]["name"])

        if face == "sse":
            async with room.sse("?afterSeq=2") as client:
                await client.until("agent.changed")
                room.agent_changed("fresh")
                await room.say("three")
                await watched(client.event)
        else:
            async with room.ws() as socket:
                await socket.subscribe(2)
                await socket.until("agent.changed")
                room.agent_changed("fresh")
                await room.say("three")
                await watched(socket.frame)
        # SSE has no answer that tells what a running turn has said, so its deltas are replayed.
        deltas = ["delta 0"] if face == "sse" else []
        assert seen == ["one", *deltas, "two", "fresh"]


# --- the WebSocket's own rules ------------------------------------------------------------------


async def test_pings_are_answered(tmp_path: Path):
    async with running(tmp_path) as room, room.ws() as socket:
        await socket.subscribe()
        await socket.send({"ping": 7})
        while "pong" not in (answer := await socket.frame()):
            assert answer["type"] == "agent.changed"
        assert answer == {"pong": 7}
        await socket.send({"pong": 1})
        await socket.send({"ping": 8})
        assert await socket.frame() == {"pong": 8}


BAD_FIRST_FRAMES = [
    "not json",
    "[]",
    "{}",
    '{"ping": 1}',
    '{"subscribe": []}',
    '{"subscribe": {}}',
    '{"subscribe": {"roomId": ""}}',
    '{"subscribe": {"roomId": 7}}',
    '{"subscribe": {"roomId": "room:main", "afterSeq": "1"}}',
    '{"subscribe": {"roomId": "room:main", "afterSeq": true}}',
    '{"subscribe": {"roomId": "room:main", "afterSeq": -1}}',
    '{"subscribe": {"roomId": "room:main", "render": "pdf"}}',
    '{"subscribe": {"roomId": "room:main", "render": true}}',
    '{"subscribe": {"roomId": "room:main", "more": 1}}',
    '{"subscribe": {"roomId": "room:main"}, "more": 1}',
    '{"subscribe": {"roomId": "room:main", "afterSeq": 1, "afterSeq": 2}}',
    '{"subscribe": {"roomId": "room:main"}, "subscribe": {"roomId": "room:main"}}',
    "[" * 4096,
    '{"subscribe": {"roomId": "' + "x" * 5000 + '"}}',
]


@pytest.mark.parametrize("frame", BAD_FIRST_FRAMES)
def test_a_bad_first_frame_is_refused(frame: str):
    with pytest.raises(GroupXError, match="INVALID_ENVELOPE"):
        read_subscribe(frame)


@pytest.mark.parametrize("frame", ['{"ping": "1"}', '{"ping": 1, "pong": 1}', "{}", "1", b"{}"])
def test_anything_but_a_ping_is_refused(frame: str | bytes):
    with pytest.raises(GroupXError, match="INVALID_ENVELOPE"):
        read_ping(frame)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("not json", "INVALID_ENVELOPE"),
        ('{"subscribe": {"roomId": "room:none"}}', "NOT_FOUND"),
    ],
)
async def test_a_refused_socket_hears_why_before_it_closes(tmp_path: Path, frame: str, code: str):
    async with running(tmp_path) as room, room.ws() as socket:
        await socket.send(frame)
        assert (await socket.frame())["error"]["code"] == code
        assert await socket.closed() == (websocket.POLICY_VIOLATION, code)


async def test_a_socket_that_says_nonsense_later_is_closed_too(tmp_path: Path):
    async with running(tmp_path) as room, room.ws() as socket:
        await socket.subscribe()
        await socket.send({"message": "hello"})
        assert (await until_error(socket))["code"] == "INVALID_ENVELOPE"
        assert (await socket.closed())[0] == websocket.POLICY_VIOLATION


async def until_error(socket: WsClient) -> Json:
    while "error" not in (frame := await socket.frame()):
        pass
    return frame["error"]


async def test_a_socket_that_says_nothing_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(websocket, "FIRST_FRAME_SECONDS", 0.05)
    async with running(tmp_path) as room, room.ws() as socket:
        assert (await socket.frame())["error"]["code"] == "INVALID_ENVELOPE"
        assert (await socket.closed())[0] == websocket.POLICY_VIOLATION


@pytest.mark.parametrize("size", [1, 125, 126, 65_535, 65_536, 300_000])
async def test_frames_of_every_length_arrive_whole(tmp_path: Path, size: int):
    async with running(tmp_path) as room, room.ws() as socket:
        await socket.subscribe()
        await room.say("x" * size, "é" * size)
        assert await socket.durable(2) == ["x" * size, "é" * size]
        await socket.send({"ping": 1})
        assert await socket.frame() == {"pong": 1}


async def test_what_goes_to_all_does_not_mix_with_what_goes_to_one(tmp_path: Path):
    async with running(tmp_path) as room, room.ws() as socket:
        await socket.subscribe()

        async def speak() -> None:
            for number in range(100):
                await room.say(f"{number} " + "x" * 20_000)

        async def ping() -> None:
            for number in range(100):
                await socket.send({"ping": number})
                await trio.lowlevel.checkpoint()

        pongs, said = [], []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(speak)
            nursery.start_soon(ping)
            while len(pongs) + len(said) < 200:
                frame = await socket.frame()
                if "pong" in frame:
                    pongs.append(frame["pong"])
                elif frame["seq"] is not None:
                    said.append(int(frame["body"]["content"].split()[0]))
        assert pongs == said == list(range(100))


async def test_a_socket_that_is_not_read_does_not_hold_up_the_end(tmp_path: Path):
    async with running(tmp_path) as room, room.ws() as socket:
        await socket.subscribe()
        for _ in range(40):
            await room.say("x" * 500_000)
        room.hub.release("GroupX is stopping")
        with trio.fail_after(3):
            await room.server.end_streams()


async def test_a_socket_needs_the_token(tmp_path: Path):
    lines = [
        "GET /api/ws HTTP/1.1",
        "Host: 127.0.0.1:{port}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==",
    ]
    async with running(tmp_path) as room:
        stream = await trio.open_tcp_stream("127.0.0.1", room.port)
        async with stream:
            await stream.send_all("\r\n".join([*lines, "", ""]).format(port=room.port).encode())
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 401")


# --- how a stream ends --------------------------------------------------------------------------


async def test_a_quiet_stream_has_a_heartbeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.05)
    async with running(tmp_path) as room, room.sse() as client:
        await client.until("agent.changed")
        assert await client.block() == ": heartbeat"
        await room.say("still here")
        assert await client.durable(1) == ["still here"]


async def test_streams_end_by_themselves_when_the_hub_is_released(tmp_path: Path):
    async with (
        running(tmp_path) as room,
        room.sse() as client,
        room.ws() as socket,
        room.ws() as silent,
    ):
        await client.until("agent.changed")
        await socket.subscribe()
        await socket.until("agent.changed")
        began = trio.current_time()
        room.hub.release("GroupX is stopping")
        assert await client.event() is None
        assert await socket.closed() == (websocket.GOING_AWAY, "GroupX is stopping")
        assert await silent.closed() == (websocket.GOING_AWAY, "GroupX is stopping")
        await room.server.end_streams()
        assert trio.current_time() - began < 0.5


async def test_what_a_token_opened_ends_with_it(tmp_path: Path):
    async with running(tmp_path) as room, room.sse() as events, room.ws() as socket:
        await socket.subscribe()
        async with room.ws() as unsubscribed:
            rotate_token(tmp_path / "token")
            before = trio.current_time()
            async with room.sse() as newer:  # any request is enough for the daemon to look
                assert newer.status == 200
                await rest(events)
                for one in (socket, unsubscribed):
                    assert await one.closed() == (guards.REVOKED, "UNAUTHORIZED")
                assert trio.current_time() - before < 1
                await room.say("for the new one only")
                assert await newer.durable(1) == ["for the new one only"]


async def test_a_changed_token_is_noticed_without_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(revocation, "LOOK_SECONDS", 0.01)
    async with running(tmp_path) as room, room.sse() as events:
        rotate_token(tmp_path / "token")
        await rest(events)


async def test_a_revoked_client_that_does_not_read_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(revocation, "CLOSING_SECONDS", 0.05)
    async with running(tmp_path) as room, room.sse(), room.ws() as socket:
        await socket.subscribe()
        for _ in range(40):
            await room.say("x" * 300_000)
        rotate_token(tmp_path / "token")
        assert room.token.opens_as_bearer(room.bearer())
        with trio.fail_after(0.7):  # sooner than a stopping server cuts off
            await room.server.end_streams()


@pytest.mark.parametrize("face", ["sse", "ws"])
async def test_a_client_that_leaves_is_gone_at_once(
    tmp_path: Path, face: str, monkeypatch: pytest.MonkeyPatch
):
    began, ended = trio.Event(), trio.Event()
    follow = streams.cursor.CursorLoop.next

    async def watched(self: Any) -> Any:
        began.set()
        try:
            return await follow(self)
        except trio.Cancelled:
            ended.set()
            raise

    monkeypatch.setattr(streams.cursor.CursorLoop, "next", watched)
    async with running(tmp_path) as room:
        if face == "sse":
            async with room.sse() as client:
                await client.until("agent.changed")
                await began.wait()
        else:
            async with room.ws() as socket:
                await socket.subscribe()
                await began.wait()
        with trio.fail_after(1):
            await ended.wait()
