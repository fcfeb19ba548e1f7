"""The MCP endpoint on a real socket, for any callers and any desks."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import httpx2
import trio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from groupx.actors.callers import Callers
from groupx.adapters.contract import McpServer
from groupx.mcp.mount import McpMount
from groupx.process.spawner import Spawner
from groupx.setup.checks import Checks
from groupx.setup.desk import SetupDesk
from groupx.setup.programs import Programs
from groupx.web.app import create_guards
from groupx.web.login import LoginCodes
from groupx.web.server import WebServer
from groupx.web.services import Entrance, RuntimeFacts, RuntimeStatus, Services, SetupFace, Status
from groupx.web.token import Token


@asynccontextmanager
async def serving(
    folder: Path, make_callers: Callable[[str], Callers], load: Callable[[], Awaitable[Any]]
) -> AsyncIterator[int]:
    """The port of a server whose /mcp opens the desks that `load` brings."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    token = Token(folder / "token")
    mount = McpMount(make_callers(f"http://127.0.0.1:{port}"))
    entrance = Entrance(
        facts=RuntimeFacts(
            version="0",
            channel="source",
            started_at="2026-01-01T00:00:00.000Z",
            runtime_key="k",
            runtime_scope_key="s",
            port=port,
        ),
        status=lambda: RuntimeStatus(status=Status.READY),
        request_shutdown=lambda: None,
        token=token,
        logins=LoginCodes(token),
        mcp=mount,
        request_restart=lambda: None,
        setup=SetupFace(
            desk=SetupDesk(
                folder / "groupx.json", drivers=("demo",), port=port, revision_key=b"", running=None
            ),
            programs=Programs({}, Spawner()),
            checks=Checks({}, Spawner()),
        ),
    )
    services: Any = Services.__new__(Services)
    for field in attrs.fields(Entrance):
        object.__setattr__(services, field.name, getattr(entrance, field.name))
    guards = create_guards(entrance)
    guards.open_room(services, guards._behind)
    server = WebServer(listening, guards)
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        await nursery.start(mount.run, load)
        yield port
        server.stop()
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def client(port: int, server: McpServer, mode: str = "auto") -> AsyncIterator[Client]:
    """A client with this bearer, of the official SDK."""
    headers = {"authorization": f"Bearer {server.bearer}"}
    url = f"http://127.0.0.1:{port}/mcp"
    async with (
        httpx2.AsyncClient(headers=headers, timeout=10) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as opened,
    ):
        yield opened
