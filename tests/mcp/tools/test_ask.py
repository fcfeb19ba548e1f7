"""ask and collect: every target's own answer, nothing sent twice, nobody waits for ever."""

import attrs
import pytest
import trio
import trio.testing

from groupx.actors.messages import Read
from groupx.adapters.contract import Failed
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import Limits, Timeouts
from groupx.mcp.answers import BEING_CANCELLED, GO_ON
from groupx.store.queries.called_turns import called_turns
from groupx.store.queries.turn_detail import turn_detail
from tests.mcp.acting import acting, says

A, B, C = "agent:a", "agent:b", "agent:c"


async def test_each_target_answers_for_itself(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b", "c") as stage:
        stage.script("b", says("from b"))

        async def fails(prompt):
            prompt.say("half")
            prompt.finish(Failed(code=ErrorCode.NATIVE_QUOTA_EXCEEDED, message="no more today"))

        stage.script("c", fails)

        async def asks(prompt):
            answer = await stage.use(prompt, "ask", to=["b", C], content="well?")
            b, c = answer["results"]
            assert (b["target"], b["state"], b["content"]) == (B, "answered", "from b")
            assert (c["state"], c["errorCode"]) == ("failed", "NATIVE_QUOTA_EXCEEDED")
            assert "no more today" in c["message"]
            assert "note" not in answer

        turn = await stage.run("a", asks)
        rows = stage.room.rows(
            "SELECT target_actor_id, parent_turn_id, hop_count, trigger_kind FROM turns"
            " WHERE parent_turn_id IS NOT NULL ORDER BY enqueue_seq"
        )
        assert rows == [(B, turn, 1, "automatic"), (C, turn, 1, "automatic")]
        [(author, source, reply)] = stage.room.rows(
            "SELECT actor_id, json_extract(provenance_json, '$.sourceKind'), reply_to_event_id"
            " FROM events WHERE json_extract(body_json, '$.content') = 'well?'"
        )
        assert (author, source) == (A, "mcp")
        assert reply == stage.room.programs[A].prompts[0].source


async def test_the_audit_trail_tells_what_was_asked_from_what_was_sent(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("well"))

        async def asks(prompt):
            await stage.use(prompt, "ask", to=["b"], content="well?")
            await stage.use(prompt, "send", to=["b"], content="so there")

        await stage.run("a", asks)
        children = stage.room.rows(
            "SELECT turn_id FROM turns WHERE parent_turn_id IS NOT NULL ORDER BY enqueue_seq"
        )
        details = [await stage.room.store.ask(Read(turn_detail, child)) for (child,) in children]
        assert [detail.chain[-1].via for detail in details] == ["ask", "send"]


async def test_a_busy_target_is_pending_at_once_and_collected_later(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("at last", 20))
        await stage.room.send(B, content="something long")

        async def asks(prompt):
            began = trio.current_time()
            answer = await stage.use(prompt, "ask", to=["b"], content="well?")
            assert trio.current_time() == began
            [result] = answer["results"]
            assert (result["state"], result["queuePosition"]) == ("pending", 0)
            assert "note" in answer
            again = await stage.use(
                prompt, "collect", messageEventId=answer["messageEventId"], timeoutMs=10_000
            )
            assert again["results"][0]["state"] == "pending"
            assert trio.current_time() - began == pytest.approx(10, abs=0.1)
            last = await stage.use(prompt, "collect", messageEventId=answer["messageEventId"])
            assert last["results"][0]["content"] == "at last"

        await stage.run("a", asks)
        assert len(stage.room.programs[B].prompts) == 2


async def test_time_runs_out_and_the_turn_goes_on(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("late", 60))

        async def asks(prompt):
            answer = await stage.use(prompt, "ask", to=["b"], content="?", timeoutMs=25_000)
            [result] = answer["results"]
            assert (result["state"], result["status"]) == ("pending", "running")
            assert "queuePosition" not in result
            assert answer["note"] == GO_ON
            assert len(stage.told) == 2, "it is said every ten seconds that the call is alive"
            answer = await stage.use(prompt, "collect", messageEventId=answer["messageEventId"])
            assert answer["results"][0]["content"] == "late"

        await stage.run("a", asks)


async def test_the_rooms_own_bound_is_the_shorter_one(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b", timeouts=Timeouts(ask=4_000)) as stage:
        stage.script("b", says("late", 60))

        async def asks(prompt):
            began = trio.current_time()
            answer = await stage.use(prompt, "ask", to=["b"], content="?")
            await stage.use(prompt, "collect", messageEventId=answer["messageEventId"])
            assert trio.current_time() - began == pytest.approx(8, abs=0.1)

        await stage.run("a", asks)


async def test_time_runs_out_and_the_turn_is_cancelled(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("never", 600))

        async def asks(prompt):
            answer = await stage.use(
                prompt, "ask", to=["b"], content="?", timeoutMs=1_000, cancelOnTimeout=True
            )
            assert answer["results"][0]["status"] == "cancelling"
            assert answer["note"] == BEING_CANCELLED
            message = answer["messageEventId"]
            answer = await stage.use(prompt, "collect", messageEventId=message)
            assert answer["results"][0]["state"] == "cancelled"

        await stage.run("a", asks)


async def test_who_waits_for_me_cannot_be_asked_but_be_sent_something(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b", "c") as stage:
        codes = {}

        async def c(prompt):
            for target in ("a", "b", "c"):
                codes[target] = await stage.refused(prompt, "ask", to=[target], content="?")
            sent = await stage.use(prompt, "send", to=["a"], content="for later")
            began = trio.current_time()
            later = await stage.use(prompt, "collect", messageEventId=sent["messageEventId"])
            assert later["results"][0]["state"] == "pending"
            assert trio.current_time() == began, "it cannot end while we wait for it"
            prompt.answer("from c")

        async def b(prompt):
            answer = await stage.use(prompt, "ask", to=["c"], content="c?")
            prompt.answer("b heard " + answer["results"][0]["content"])

        stage.script("b", b)
        stage.script("c", c)

        async def a(prompt):
            answer = await stage.use(prompt, "ask", to=["b"], content="b?")
            assert answer["results"][0]["content"] == "b heard from c"

        await stage.run("a", a)
        assert codes == dict.fromkeys(("a", "b", "c"), ErrorCode.CAUSAL_CYCLE)
        await stage.room.until(lambda: len(stage.room.programs[A].prompts) == 2)


async def test_two_that_ask_each_other_in_their_own_chains_do_not_lock_up(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        states = []

        def asks(target):
            async def script(prompt):
                await trio.sleep(1)
                if "?" not in prompt.text.splitlines()[-2]:
                    answer = await stage.use(prompt, "ask", to=[target], content="and you?")
                    states.append(answer["results"][0]["state"])
                prompt.answer()

            return script

        stage.script("a", asks("b"))
        stage.script("b", asks("a"))
        await stage.room.send(A, content="go")
        await stage.room.send(B, content="go")
        await stage.room.until(lambda: len(states) >= 2)
        assert states[:2] == ["pending", "pending"]
        await stage.room.until(
            lambda: stage.room.rows("SELECT 1 FROM turns WHERE terminal_at IS NULL") == []
        )


async def test_a_cancelled_caller_cancels_whom_it_asked_not_whom_it_sent_to(
    jumping_clock, tmp_path
):
    async with acting(tmp_path, "a", "b", "c") as stage:
        stage.script("b", says("never", 600))
        stage.script("c", says("in time", 40))

        async def a(prompt):
            await stage.use(prompt, "send", to=["c"], content="c?")
            async with trio.open_nursery() as nursery:

                async def leaves():
                    await prompt.cancelled.wait()
                    nursery.cancel_scope.cancel()

                nursery.start_soon(leaves)
                await stage.use(prompt, "ask", to=["b"], content="b?")

        stage.script("a", a)
        [turn] = await stage.room.send(A)
        await stage.room.until(lambda: bool(stage.room.programs[B].prompts))
        await stage.room.cancel(turn)
        await stage.room.until(
            lambda: stage.room.rows("SELECT 1 FROM turns WHERE terminal_at IS NULL") == []
        )
        ends = dict(stage.room.rows("SELECT target_actor_id, status FROM turns"))
        assert ends == {A: "cancelled", B: "cancelled", C: "completed"}


async def test_a_stop_lets_everybody_go_at_once(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("late", 40))

        async def asks(prompt):
            async with trio.open_nursery() as nursery:

                async def stops():
                    await trio.sleep(5)
                    stage.room.hub.release("runtime_stop")

                nursery.start_soon(stops)
                began = trio.current_time()
                answer = await stage.use(prompt, "ask", to=["b"], content="?")
                assert answer["results"][0]["state"] == "pending"
                assert trio.current_time() - began == pytest.approx(5, abs=0.1)

        await stage.run("a", asks)


async def test_who_asked_to_be_woken_is_woken_only_when_nobody_waits(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("late", 30))
        calls = []

        async def a(prompt):
            if not calls:
                for timeout in (60_000 // 2 + 5_000, 1_000):
                    answer = await stage.use(
                        prompt, "ask", to=["b"], content="?", timeoutMs=timeout, wakeMe=True
                    )
                    calls.append(answer["results"][0]["state"])
            prompt.answer()

        stage.script("a", a)
        await stage.room.send(A)
        await stage.room.until(lambda: len(stage.room.programs[A].prompts) == 2)
        await stage.room.until(
            lambda: stage.room.rows("SELECT 1 FROM turns WHERE terminal_at IS NULL") == []
        )
        assert calls == ["answered", "pending"]
        rows = stage.room.rows("SELECT state, owner FROM completion_claims ORDER BY rowid")
        assert rows == [("inline", "inline"), ("queued", "callback")]
        assert len(stage.room.programs[A].prompts) == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"messageEventId": "evt_nobody"}, ErrorCode.NOT_FOUND),
        ({"messageEventId": "$source"}, ErrorCode.NOT_FOUND),
        ({"messageEventId": "x", "timeoutMs": 50_001}, ErrorCode.INVALID_ENVELOPE),
        ({}, ErrorCode.INVALID_ENVELOPE),
    ],
)
async def test_only_what_one_said_oneself_is_collected(jumping_clock, tmp_path, arguments, code):
    async with acting(tmp_path, "a") as stage:

        async def collects(prompt):
            given = {
                name: prompt.source if value == "$source" else value
                for name, value in arguments.items()
            }
            assert await stage.refused(prompt, "collect", **given) == code

        await stage.run("a", collects)


class Busy:
    """A store that refuses the first `times` looks at called turns."""

    def __init__(self, store, times):
        self._store, self._left = store, times

    async def ask(self, request):
        if getattr(request, "run", None) is called_turns and self._left:
            self._left -= 1
            raise GroupXError(ErrorCode.STORE_BUSY, "busy")
        return await self._store.ask(request)


@pytest.mark.parametrize(("times", "state"), [(3, "answered"), (100, None)])
async def test_a_busy_store_never_makes_what_was_sent_look_unsent(
    jumping_clock, tmp_path, times, state
):
    async with acting(tmp_path, "a", "b") as stage:
        stage.script("b", says("b"))

        async def asks(prompt):
            stage.face = attrs.evolve(stage.face, store=Busy(stage.room.store, times))
            if state is not None:
                answer = await stage.use(prompt, "ask", to=["b"], content="?")
                assert answer["results"][0]["state"] == state
                return
            with pytest.raises(GroupXError, match="do not send the message again") as busy:
                await stage.use(prompt, "ask", to=["b"], content="?")
            stage.face = attrs.evolve(stage.face, store=stage.room.store)
            late = await stage.use(prompt, "collect", **busy.value.details)
            assert late["results"][0]["content"] == "b"

        await stage.run("a", asks)
        assert len(stage.room.programs[B].prompts) == 1


async def test_a_long_answer_is_cut_and_can_be_read_on(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        whole = "".join(f"{number}," for number in range(30_000)) + "\x01" * 20_000
        stage.script("b", says(whole))

        async def asks(prompt):
            answer = await stage.use(prompt, "ask", to=["b"], content="?")
            [result] = answer["results"]
            text, more = result["content"], result.get("truncated")
            while more is not None:
                piece = await stage.use(
                    prompt, "read", eventId=result["responseEventId"], **more["readOn"]
                )
                text, more = text + piece["content"], piece.get("truncated")
            assert text == whole

        await stage.run("a", asks)


async def test_many_asks_in_a_row_all_end(jumping_clock, tmp_path):
    limits = Limits(root_turns=5_000, actor_calls_per_root=5_000)
    async with acting(tmp_path, "a", "b", "c", limits=limits) as stage:
        stage.script("b", says("b", 0.01))
        stage.script("c", says("c", 0.01))
        states = []

        async def asks(prompt):
            for _ in range(60):
                answer = await stage.use(prompt, "ask", to=["b", "c"], content="?")
                states.extend(result["state"] for result in answer["results"])

        await stage.run("a", asks)
        assert states == ["answered"] * 120


OPEN = "SELECT 1 FROM turns WHERE terminal_at IS NULL"


@pytest.mark.slow
async def test_many_asks_at_once_leave_no_task(jumping_clock, tmp_path):
    names = ("a", "b", "c", "d", "e", "f", "g", "h")
    limits = Limits(root_turns=5_000, actor_calls_per_root=5_000)
    async with acting(tmp_path, *names, limits=limits) as stage:
        for name in names[1:]:
            stage.script(name, says(name, 0.01))
        states, tasks = [], []

        async def one_after_another(prompt, first):
            for number in range(6):
                to = names[1 + (first + number) % 7]
                answer = await stage.use(prompt, "ask", to=[to], content="?")
                states.append(answer["results"][0]["state"])
                late = await stage.use(prompt, "collect", messageEventId=answer["messageEventId"])
                assert late["results"][0]["content"] == to

        async def quiet():
            await stage.room.until(lambda: len(stage.room.rows(OPEN)) == 1)
            await trio.testing.wait_all_tasks_blocked()
            return trio.lowlevel.current_statistics().tasks_living

        async def asks(prompt):
            tasks.append(await quiet())
            async with trio.open_nursery() as nursery:
                for first in range(8):
                    nursery.start_soon(one_after_another, prompt, first)
            tasks.append(await quiet())

        await stage.run("a", asks)
        assert len(states) == 48
        assert set(states) == {"answered", "pending"}
        assert tasks[0] == tasks[1]


async def test_who_collect_from_each_other_do_not_wait_for_their_time(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        found = {}

        def works(name, target):
            async def script(prompt):
                if not found.get(name):
                    found[name] = True
                    await trio.sleep(1)
                    sent = await stage.use(prompt, "ask", to=[target], content="and you?")
                    await trio.sleep(1 if name == "a" else 2)
                    began = trio.current_time()
                    late = await stage.use(prompt, "collect", messageEventId=sent["messageEventId"])
                    waited = trio.current_time() - began
                    found[name] = (late["results"][0]["state"], waited)
                prompt.answer("me")

            return script

        stage.script("a", works("a", "b"))
        stage.script("b", works("b", "a"))
        await stage.room.send(A, content="go")
        await stage.room.send(B, content="go")
        await stage.room.until(
            lambda: stage.room.rows("SELECT 1 FROM turns WHERE terminal_at IS NULL") == []
        )
        assert found["b"] == ("pending", 0), "it would have waited for one that waits for it"
        assert found["a"][0] == "answered"
        assert found["a"][1] < 10


@pytest.mark.parametrize("content", ["left\0right", "\\u0000 and \\\\u0000", "\0", "a\\\0b\\"])
async def test_a_nul_hides_nothing_of_what_was_said(jumping_clock, tmp_path, content):
    async with acting(tmp_path, "a", "b") as stage:
        shown = content.replace("\0", "\ufffd")
        stage.script("b", says(content))

        async def asks(prompt):
            answer = await stage.use(prompt, "ask", to=["b"], content="?" + content)
            assert answer["results"][0]["content"] == shown
            read = await stage.use(prompt, "read")
            contents = [event.get("content") for event in read["events"]]
            assert "?" + shown in contents
            one = await stage.use(prompt, "read", eventId=answer["messageEventId"], offset=1)
            assert one["content"] == shown

        await stage.run("a", asks)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"afterSeq": 1 << 63}),
        ("read", {"offset": 1 << 70, "eventId": "evt"}),
        ("read", {"eventId": "\ud800"}),
        ("ask", {"to": ["\udfff"], "content": "?"}),
        ("collect", {"messageEventId": "x\ud800"}),
        ("publish", {"content": "hello", "clientCommandId": "\ud800"}),
        ("publish", {"content": "hello", "clientCommandId": "x" * 201}),
    ],
)
async def test_what_is_no_argument_is_refused_in_words(jumping_clock, tmp_path, tool, arguments):
    async with acting(tmp_path, "a") as stage:

        async def calls(prompt):
            code = await stage.refused(prompt, tool, **arguments)
            assert code == ErrorCode.INVALID_ENVELOPE

        await stage.run("a", calls)
