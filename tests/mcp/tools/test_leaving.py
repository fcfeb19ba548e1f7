"""A call that leaves: what it was promised is kept, what it waited for is told to somebody."""

from typing import Any

import attrs
import pytest
import trio

from groupx.actors.messages import MemberSend, Write
from groupx.adapters.contract import Started
from groupx.mcp.inline import LAST_WRITE_SECONDS
from groupx.store.transactions.completion import release_inline
from tests.mcp.acting import acting, says

A, B = "agent:a", "agent:b"
CLAIMS = "SELECT state, owner FROM completion_claims ORDER BY rowid"
OPEN = "SELECT 1 FROM turns WHERE terminal_at IS NULL"


def is_release(request):
    """Whether the store is told that nobody waits any more."""
    return isinstance(request, Write) and request.run is release_inline


class Before:
    """An actor that is asked a certain thing only after something else has happened."""

    def __init__(self, actor, is_it, happens):
        self._actor, self._is_it, self._happens = actor, is_it, happens

    async def ask(self, request: Any) -> Any:
        if self._is_it(request):
            await self._happens()
        return await self._actor.ask(request)


class After:
    """An actor whose answer to a message of an agent leaves, and comes `seconds` later."""

    def __init__(self, actor, leaves, seconds):
        self._actor, self._leaves, self._seconds = actor, leaves, seconds

    async def ask(self, request: Any) -> Any:
        answer = await self._actor.ask(request)
        if isinstance(request, MemberSend):
            self._leaves()
            await trio.sleep(self._seconds)
        return answer


@pytest.mark.parametrize("tool", ["ask", "collect"])
async def test_an_end_just_before_the_release_is_the_calls_own(jumping_clock, tmp_path, tool):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", _begins)

        async def b_ends():
            stage.room.programs[B].prompts[0].answer("just in time")
            await stage.room.until(lambda: len(stage.room.rows(OPEN)) == 1)

        async def asks(prompt):
            given = {"to": ["b"], "content": "?", "wakeMe": True}
            if tool == "collect":
                sent = await stage.use(prompt, "send", **given)
                given = {"messageEventId": sent["messageEventId"]}
            stage.face = attrs.evolve(
                stage.face, store=Before(stage.room.store, is_release, b_ends)
            )
            answer = await stage.use(prompt, tool, **given, timeoutMs=1_000)
            [result] = answer["results"]
            assert (result["state"], result["content"]) == ("answered", "just in time")
            assert "note" not in answer

        await stage.run("a", asks)
        assert stage.room.rows(CLAIMS) == [("inline", "inline")]
        assert len(stage.room.programs[A].prompts) == 1


async def _begins(prompt):
    prompt.emit(Started("n"))


@pytest.mark.parametrize("seconds", [1, LAST_WRITE_SECONDS - 0.1])
async def test_who_leaves_while_a_message_is_accepted_is_woken(jumping_clock, tmp_path, seconds):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("late", 30))

        async def asks(prompt):
            with trio.CancelScope() as client:
                broker = After(stage.face.broker, client.cancel, seconds)
                stage.face = attrs.evolve(stage.face, broker=broker)
                await stage.use(prompt, "ask", to=["b"], content="?", wakeMe=True)
            assert client.cancelled_caught
            assert stage.room.rows(CLAIMS) == [("open", None)]
            await stage.room.until(lambda: len(stage.room.rows(OPEN)) == 2)
            stage.script("a", says("woken", 0))

        await stage.run("a", asks)
        await stage.room.until(lambda: stage.room.rows(OPEN) == [])
        assert stage.room.rows(CLAIMS) == [("queued", "callback")]


async def test_who_leaves_does_not_wait_long_for_a_broker_that_says_nothing(
    jumping_clock, tmp_path
):
    async with acting(tmp_path, "a", "b") as stage:

        async def asks(prompt):
            began = trio.current_time()
            with trio.CancelScope() as client:
                broker = After(stage.face.broker, client.cancel, 10_000)
                stage.face = attrs.evolve(stage.face, broker=broker)
                await stage.use(prompt, "ask", to=["b"], content="?")
            assert trio.current_time() - began == pytest.approx(LAST_WRITE_SECONDS, abs=0.1)

        stage.script("b", says("b"))
        await stage.run("a", asks)


async def test_a_slow_broker_is_waited_for_by_who_stays(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("b"))

        async def asks(prompt):
            broker = After(stage.face.broker, lambda: None, 2 * LAST_WRITE_SECONDS)
            stage.face = attrs.evolve(stage.face, broker=broker)
            answer = await stage.use(prompt, "ask", to=["b"], content="?")
            assert answer["results"][0]["content"] == "b"

        await stage.run("a", asks)


async def test_the_users_cancel_ends_a_wait_at_once(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.room.programs[A].confirms_cancel = False
        stage.script("b", says("never", 600))
        waited = []

        async def a(prompt):
            began = trio.current_time()
            answer = await stage.use(prompt, "ask", to=["b"], content="?")
            waited.append((trio.current_time() - began, answer["results"][0]["status"]))
            prompt.answer()

        stage.script("a", a)
        [turn] = await stage.room.send(A)
        await stage.room.until(lambda: bool(stage.room.programs[B].prompts))
        await trio.sleep(2)
        await stage.room.cancel(turn)
        await stage.room.until(lambda: stage.room.rows(OPEN) == [])
        [(seconds, status)] = waited
        assert seconds == pytest.approx(2, abs=0.2)
        assert status == "cancelling"


async def test_a_store_that_says_nothing_does_not_hold_a_call_that_leaves(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("late", 60))

        async def asks(prompt):
            store = Before(stage.room.store, is_release, trio.sleep_forever)
            stage.face = attrs.evolve(stage.face, store=store)
            began = trio.current_time()
            answer = await stage.use(prompt, "ask", to=["b"], content="?", timeoutMs=1_000)
            assert answer["results"][0]["state"] == "pending"
            assert trio.current_time() - began == pytest.approx(1 + LAST_WRITE_SECONDS, abs=0.1)

        await stage.run("a", asks)
