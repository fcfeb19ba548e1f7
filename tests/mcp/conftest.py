"""The MCP endpoint on a real socket, with tools of the test."""

import os
import socket
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import attrs
import httpx2
import pytest
import trio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from groupx.actors.callers import Caller, Callers
from groupx.domain.ids import ActorId
from groupx.mcp.desk import open_desk
from groupx.mcp.mount import McpMount
from groupx.mcp.tool import Arguments, Tool, desk_of
from groupx.web.app import create_guards
from groupx.web.login import LoginCodes
from groupx.web.server import WebServer
from groupx.web.services import Entrance, RuntimeFacts, RuntimeStatus, Services, Status
from groupx.web.token import Token


@attrs.define(eq=False)
class Bench:
    """Tools that tell who called them and when they end."""

    begun: trio.Event = attrs.field(factory=trio.Event)
    cancelled: trio.Event = attrs.field(factory=trio.Event)

    async def who(self, call: Any, given: Any) -> dict[str, Any]:
        return {"actorId": call.caller.actor_id, "bindingId": call.caller.binding_id}

    async def hang(self, call: Any, given: Any) -> dict[str, Any]:
        self.begun.set()
        try:
            while True:
                await call.tell("still here")
                await trio.sleep(0.05)
        except trio.Cancelled:
            self.cancelled.set()
            raise

    async def fail(self, call: Any, given: Any) -> dict[str, Any]:
        raise ZeroDivisionError("our bug")

    async def much(self, call: Any, given: Any) -> dict[str, Any]:
        return {"text": "x" * 70_000}

    def desk(self) -> Any:
        return desk_of(
            *(
                Tool(name=name, description=name, arguments=Arguments, run=getattr(self, name))
                for name in ("who", "hang", "fail", "much")
            )
        )


@attrs.define(eq=False)
class Endpoint:
    """What a test holds of the server."""

    port: int
    callers: Callers
    bench: Bench
    status: list[Status]

    @asynccontextmanager
    async def client(self, server: Any, mode: str = "auto"):
        headers = {"authorization": f"Bearer {server.bearer}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=10) as http,
            Client(streamable_http_client(server.url, http_client=http), mode=mode) as client,
        ):
            yield client

    def member(self, name: str = "alice"):
        """A context manager: the session of an agent, open inside it."""
        return self.callers.admitted(caller(name))


def caller(name: str) -> Caller:
    return Caller(
        desk="member",
        binding_id=f"binding_{name}",
        actor_id=ActorId(f"agent:{name}"),
        instance_id=f"instance_{name}",
    )


@pytest.fixture
async def endpoint(tmp_path):
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    callers = Callers(f"http://127.0.0.1:{port}", os.urandom)
    mount, bench, status = McpMount(callers), Bench(), [Status.READY]
    token = Token(tmp_path / "token")
    entrance = Entrance(
        facts=RuntimeFacts(
            version="0",
            channel="source",
            started_at="2026-01-01T00:00:00.000Z",
            runtime_key="k",
            runtime_scope_key="s",
            port=port,
        ),
        status=lambda: RuntimeStatus(status=status[0]),
        request_shutdown=lambda: None,
        token=token,
        logins=LoginCodes(token),
        mcp=mount,
    )
    services: Any = Services.__new__(Services)
    for field in attrs.fields(Entrance):
        object.__setattr__(services, field.name, getattr(entrance, field.name))
    guards = create_guards(entrance)
    guards.open_room(services, guards._behind)

    async def load():
        return partial(open_desk, room=None, tools=bench.desk(), instructions="Say hello.")

    server = WebServer(listening, guards)
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        await nursery.start(mount.run, load)
        yield Endpoint(port, callers, bench, status)
        server.stop()
        nursery.cancel_scope.cancel()
