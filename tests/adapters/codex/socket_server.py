"""A scripted app-server behind a WebSocket: on loopback or a Unix socket, in the test's loop."""

import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_server_stream

from groupx.process.child import ChildGone, ChildProcess
from groupx.process.spawner import Spawner

PROGRAM = Path(__file__).parents[3] / "conformance" / "agents" / "app_server_scripted.py"


@attrs.define
class SocketServer:
    """Where it listens, and what was done with it."""

    address: str
    log: Path
    connections: int = 0
    now: WebSocketConnection | None = None
    child: ChildProcess | None = None
    closed: trio.Event = attrs.field(factory=trio.Event)
    """Set once a client has gone."""

    async def say(self, message: dict[str, Any]) -> None:
        """Something of the program's to the client that is connected now."""
        assert self.now is not None
        await self.now.send_message(json.dumps(message))

    async def ask(self, message: dict[str, Any]) -> None:
        """Something to the program, as if a client had sent it."""
        assert self.child is not None
        await self.child.write(json.dumps(message).encode() + b"\n")

    @property
    def frames(self) -> list[dict[str, Any]]:
        """Everything that clients sent."""
        return [json.loads(line) for line in self.log.read_bytes().split(b"\n") if line]

    def sent(self, method: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame.get("method") == method]


@asynccontextmanager
async def serve(
    spawner: Spawner, folder: Path, scheme: str, scenario: dict[str, Any] | None = None
) -> AsyncIterator[SocketServer]:
    """One program for all connections, one after the other; it outlives them."""
    path, log = folder / "server.json", folder / "server.jsonl"
    path.write_text(json.dumps(scenario or {}))
    listener, address = _listen(folder, scheme)
    server = SocketServer(address, log)
    argv = (sys.executable, "-E", "-s", "-S", str(PROGRAM), str(path), str(log))

    async def handle(stream: trio.SocketStream) -> None:
        async with trio.open_nursery() as nursery:
            request = await wrap_server_stream(nursery, stream)
            connection = server.now = await request.accept()
            server.connections += 1
            nursery.start_soon(_to_program, connection, child, server, nursery)
            nursery.start_soon(_to_client, connection, child)

    async with spawner.open(argv) as child, trio.open_nursery() as nursery:
        server.child = child
        nursery.start_soon(trio.serve_listeners, handle, [trio.SocketListener(listener)])
        yield server
        nursery.cancel_scope.cancel()


def _listen(folder: Path, scheme: str) -> tuple[trio.socket.SocketType, str]:
    family = socket.AF_UNIX if scheme == "unix" else socket.AF_INET
    raw = socket.socket(family)
    raw.bind(str(folder / "s") if scheme == "unix" else ("127.0.0.1", 0))
    raw.listen(8)
    where = raw.getsockname()
    address = f"unix://{where}" if scheme == "unix" else f"ws://127.0.0.1:{where[1]}"
    return trio.socket.from_stdlib_socket(raw), address


async def _to_program(
    connection: WebSocketConnection,
    child: ChildProcess,
    server: SocketServer,
    nursery: trio.Nursery,
) -> None:
    try:
        while True:
            message = await connection.get_message()
            await child.write(message.encode() + b"\n")
    except (ConnectionClosed, ChildGone):
        server.closed.set()
        with trio.move_on_after(1):  # a goodbye of ours is answered by then
            await connection._close_handshake.wait()
        nursery.cancel_scope.cancel()


async def _to_client(connection: WebSocketConnection, child: ChildProcess) -> None:
    while (line := await child.next_line()) is not None:
        await connection.send_message(line.decode())
    await connection.aclose(1001)
