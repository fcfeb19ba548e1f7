"""The way in for agents while the tools are loaded, and while a session ends."""

from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from groupx.actors.callers import Caller, Callers
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.mcp.mount import LOADING_SECONDS, McpMount


class Desk:
    """A caller's server that takes its time to open."""

    def __init__(self, seconds):
        self._seconds = seconds
        self.served = 0

    @asynccontextmanager
    async def run(self):
        await trio.sleep(self._seconds)
        yield

    async def handle_request(self, scope, receive, send):
        await trio.lowlevel.checkpoint()
        self.served += 1


class Entry:
    """A mount with the desks that it opened."""

    def __init__(self):
        self.mount = McpMount(Callers("http://127.0.0.1", bytes))
        self.desks = {}
        self.opens_in = 0.0
        self.loads = 0

    def open(self, caller):
        self.desks[caller.actor_id] = Desk(self.opens_in)
        return self.desks[caller.actor_id]

    async def serve(self, caller):
        """The code that a request is refused with, or None."""
        try:
            await self.mount.serve(caller, {}, _nothing, _nothing)
        except GroupXError as refused:
            return refused.code
        return None


async def _nothing(*_):
    raise AssertionError("nobody asked for it")


def caller(name):
    return Caller(
        desk="member", binding_id=f"binding:{name}", actor_id=ActorId(name), instance_id="i"
    )


@asynccontextmanager
async def entered(loads_in=0.0):
    entry = Entry()

    async def load():
        entry.loads += 1
        await trio.sleep(loads_in)
        return entry.open

    async with trio.open_nursery() as nursery:
        await nursery.start(entry.mount.run, load)
        yield entry
        nursery.cancel_scope.cancel()


async def test_the_tools_are_loaded_by_the_first_request_and_once(autojump_clock):
    async with entered(1.0) as entry:
        await trio.sleep(10)
        assert entry.loads == 0
        async with trio.open_nursery() as nursery:
            for name in ("a", "b"):
                nursery.start_soon(entry.serve, caller(name))
        assert await entry.serve(caller("c")) is None
        assert entry.loads == 1


async def test_who_leaves_while_they_are_loaded_takes_them_from_nobody(autojump_clock):
    async with entered(5.0) as entry:
        with trio.move_on_after(1):
            await entry.serve(caller("a"))
        assert await entry.serve(caller("b")) is None


async def test_a_request_waits_for_the_tools_to_be_loaded(autojump_clock):
    async with entered(LOADING_SECONDS - 1) as entry:
        assert await entry.serve(caller("a")) is None
        assert entry.desks["a"].served == 1


async def test_tools_that_are_not_there_in_time_are_said_to_come(autojump_clock):
    async with entered(10 * LOADING_SECONDS) as entry:
        began = trio.current_time()
        assert await entry.serve(caller("a")) == ErrorCode.MCP_UNAVAILABLE
        assert trio.current_time() - began == pytest.approx(LOADING_SECONDS)


async def test_a_session_that_has_ended_is_not_told_to_call_again(autojump_clock):
    async with entered() as entry:
        a = caller("a")
        a.gone.set()
        assert await entry.serve(a) == ErrorCode.UNAUTHORIZED
        assert entry.desks == {}


async def test_a_session_that_ends_while_another_opens_gets_no_desk(autojump_clock):
    async with entered() as entry, trio.open_nursery() as nursery:
        await entry.serve(caller("warm"))
        entry.opens_in = 5.0
        a, b = caller("a"), caller("b")
        nursery.start_soon(entry.serve, a)
        await trio.testing.wait_all_tasks_blocked()
        codes = []

        async def late():
            codes.append(await entry.serve(b))

        nursery.start_soon(late)
        await trio.testing.wait_all_tasks_blocked()
        b.gone.set()
        await trio.sleep(6)
        assert codes == [ErrorCode.UNAUTHORIZED]
        assert "b" not in entry.desks


async def test_a_session_that_ends_while_its_desk_opens_leaves_none(autojump_clock):
    async with entered() as entry, trio.open_nursery() as nursery:
        entry.opens_in = 5.0
        a = caller("a")
        nursery.start_soon(entry.serve, a)
        await trio.sleep(1)
        a.gone.set()
        await trio.sleep(6)
        assert entry.mount._managers == {}


async def test_a_desk_is_opened_once_and_goes_with_its_session(autojump_clock):
    async with entered() as entry:
        a = caller("a")
        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(entry.serve, a)
        assert entry.desks["a"].served == 5
        a.gone.set()
        await trio.testing.wait_all_tasks_blocked()
        assert entry.mount._managers == {}
