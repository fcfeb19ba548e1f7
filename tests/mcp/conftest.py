"""The MCP endpoint on a real socket, with tools of the test."""

import os
from functools import partial
from typing import Any

import attrs
import pytest
import trio

from groupx.actors.callers import Caller, Callers
from groupx.domain.ids import ActorId
from groupx.mcp.desk import open_desk
from groupx.mcp.tool import Arguments, Tool, desk_of
from tests.mcp.serving import client, serving


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

    def client(self, server: Any, mode: str = "auto"):
        return client(self.port, server, mode)

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
    bench, made = Bench(), []

    def callers(url):
        made.append(Callers(url, os.urandom))
        return made[0]

    async def load():
        return partial(open_desk, room=None, tools=bench.desk(), instructions="Say hello.")

    async with serving(tmp_path, callers, load) as port:
        yield Endpoint(port, made[0], bench)
