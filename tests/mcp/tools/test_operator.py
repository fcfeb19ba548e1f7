"""The operator's desk: what the assistant does for the user, never as a member of the room."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
import trio

from groupx.actors.callers import Caller
from groupx.actors.event_hub import EventHubActor
from groupx.domain.assistant import INSTRUCTIONS, language_of
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import Limits, Timeouts
from groupx.mcp.desks import TOOLS
from groupx.mcp.tool import MAX_RESULT_BYTES, Call
from tests.actors.assisted import Assisted, assisted
from tests.actors.fakes import FakePrompt
from tests.mcp.acting import Stage, says

A, B, C = "agent:a", "agent:b", "agent:c"


class Operator:
    """The assistant in the middle of a reply, with its tools in hand."""

    def __init__(self, it: Assisted, caller: Caller, prompt: FakePrompt, path: Path) -> None:
        self.prompt = prompt
        self.it, self.room, self.caller = it, it.room, caller
        self.stage = Stage(it.room, path)
        self.told: list[str] = []

    async def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        call = Call(caller=self.caller, room=self.stage.face, tell=self._tell)
        data = orjson.dumps(await TOOLS["operator"][tool](call, arguments))
        assert len(data) <= MAX_RESULT_BYTES
        return orjson.loads(data)

    async def refused(self, tool: str, **arguments: Any) -> ErrorCode:
        before = self.room.rows("SELECT max(seq) FROM events")
        with pytest.raises(GroupXError) as error:
            await self.use(tool, **arguments)
        assert self.room.rows("SELECT max(seq) FROM events") == before
        return error.value.code

    async def _tell(self, message: str) -> None:
        self.told.append(message)


@asynccontextmanager
async def operating(path: Path, *names: str, **options: Any) -> AsyncIterator[Operator]:
    async with assisted(path, *names, **options) as it:
        it.room.nursery.start_soon(EventHubActor(it.room.hub).run)
        await it.say("do it")
        prompt = await it.prompt()
        server = prompt.session.profile.mcp
        assert server.url.endswith("/mcp/operator")
        caller = it.room.callers.find(server.bearer, "operator")
        assert caller is not None
        yield Operator(it, caller, prompt, path)
        prompt.answer("done")
        await it.settled()


def events(operator: Operator, kind: str) -> list[dict[str, Any]]:
    return [event for event in operator.room.events() if event["type"] == kind]


async def test_its_desk_has_its_own_tools_and_no_member_has_them() -> None:
    assert set(TOOLS["operator"]) == {
        "room_status", "read", "worker_dispatch", "worker_ask", "dispatch_event", "send",
        "cancel_turn", "restart_agent",
        "memory_search", "memory_remember", "memory_retract", "context_compact", "context_reset",
        "setup_read", "setup_update",
    }  # fmt: skip
    assert not {"worker_dispatch", "worker_ask", "dispatch_event"} & set(TOOLS["member"])
    assert not {"watch", "steer", "ask"} & set(TOOLS["operator"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_instructions_are_in_both_languages_and_name_every_tool(language) -> None:
    text = INSTRUCTIONS[language]
    assert [tool for tool in TOOLS["operator"] if f"`{tool}`" not in text] == []
    assert set(re.findall(r"`(\w+)`", text)) - {"groupx"} == set(TOOLS["operator"])
    assert language_of(text) == language


async def test_work_is_dispatched_in_the_assistants_name(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a", "b") as operator:
        operator.stage.script("a", says("counted"))
        answer = await operator.use("worker_dispatch", to=["a"], content="count the files")
        [turn] = answer["turns"]
        await operator.room.ended(turn["turnId"])
        [event] = events(operator, "operator.dispatch")
        assert event["actor"] == "user:assistant"
        assert event["operation"] == "worker_dispatch"
        [row] = operator.room.rows("SELECT trigger_kind, hop_count, parent_turn_id FROM turns")
        assert row == ("control", 0, None)
        prompt = operator.room.programs[A].prompts[0]  # type: ignore[index]
        assert "count the files" in prompt.text.partition("[current_message")[2]


async def test_it_waits_for_answers_and_says_that_it_is_alive(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a", "b") as operator:
        operator.stage.script("a", says("quick"))
        operator.stage.script("b", says("slow", 25))
        answer = await operator.use("worker_ask", to=["a", "b"], content="well?")
        assert [r["content"] for r in answer["results"]] == ["quick", "slow"]
        assert "note" not in answer
        assert operator.told == ["waiting for 1 of the turns"] * 2
        [event] = events(operator, "operator.dispatch")
        assert event["operation"] == "worker_ask"


async def test_what_takes_longer_is_pending_and_goes_on(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a") as operator:
        operator.stage.script("a", says("at last", 100))
        began = trio.current_time()
        answer = await operator.use("worker_ask", to=["a"], content="well?", timeoutMs=3_000)
        assert trio.current_time() - began == pytest.approx(3)
        [result] = answer["results"]
        assert result["state"] == "pending"
        assert "Do not dispatch the same again" in answer["note"]
        await operator.room.ended(result["turnId"])
        read = await operator.use("read", correlationId=answer["correlationId"])
        assert read["events"][-2]["content"] == "at last"


async def test_the_rooms_own_bound_of_a_wait_is_the_shorter_one(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a", timeouts=Timeouts(ask=4_000)) as operator:
        operator.stage.script("a", says("at last", 100))
        began = trio.current_time()
        answer = await operator.use("worker_ask", to=["a"], content="well?")
        assert answer["results"][0]["state"] == "pending"
        assert trio.current_time() - began == pytest.approx(4)


async def test_a_wait_ends_with_the_daemon(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a") as operator, trio.open_nursery() as nursery:
        operator.stage.script("a", says("at last", 40))
        answers = []

        async def ask() -> None:
            answers.append(await operator.use("worker_ask", to=["a"], content="well?"))

        nursery.start_soon(ask)
        await trio.sleep(5)
        operator.room.hub.release("runtime_stop")
        await operator.it.settled()
        assert answers[0]["results"][0]["state"] == "pending"


async def test_a_message_is_given_to_another_as_its_work(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a", "b") as operator:
        operator.stage.script("a", says("no idea"))
        operator.stage.script("b", says("I know"))
        [turn] = await operator.room.send(A, content="what is it?")
        await operator.room.ended(turn)
        read = await operator.use("read")
        said = next(event for event in read["events"] if event["type"] == "message.created")
        answer = await operator.use("dispatch_event", eventId=said["eventId"], to=["b"])
        await operator.room.ended(answer["turns"][0]["turnId"])
        text = operator.room.programs[B].prompts[0].text  # type: ignore[index]
        current = text.partition("[current_message")[2]
        assert "author=user:web" in current
        assert "what is it?" in current
        assert events(operator, "operator.dispatch") == []
        again = {"eventId": said["eventId"], "to": ["b"]}
        assert await operator.refused("dispatch_event", **again) == "DUPLICATE_DISPATCH"


async def test_a_new_session_misses_nothing_after_an_old_message_was_its_work(
    jumping_clock, tmp_path
) -> None:
    async with operating(tmp_path, "a", "b") as operator:
        operator.stage.script("a", says("noted"))
        operator.stage.script("b", says("done"))
        for to, content in ((A, "the old one"), (A, "said meanwhile"), (B, "up to here")):
            await operator.room.ended(*await operator.room.send(to, content=content))
        program = operator.room.programs[B]  # type: ignore[index]
        program.sessions[0].exit(1)
        await trio.sleep(5)
        read = await operator.use("read", limit=100)
        old = next(e for e in read["events"] if e.get("content") == "the old one")
        answer = await operator.use("dispatch_event", eventId=old["eventId"], to=["b"])
        await operator.room.ended(answer["turns"][0]["turnId"])
        await operator.room.ended(*await operator.room.send(B, content="and now?"))
        assert len(program.sessions) == 2
        told = "".join(prompt.text for prompt in program.prompts[1:])
        for content in ("the old one", "said meanwhile", "up to here", "and now?"):
            assert told.count(f"\n{content}\n") == 1


async def test_it_speaks_in_the_room_when_the_user_wants_that(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a") as operator:
        operator.stage.script("a", says("welcome"))
        answer = await operator.use("send", to=["a"], content="hello all", clientCommandId="1")
        assert (
            await operator.use("send", to=["a"], content="hello all", clientCommandId="1") == answer
        )
        await operator.room.ended(answer["turns"][0]["turnId"])
        said = [e for e in events(operator, "message.created") if e["content"] == "hello all"]
        assert [event["actor"] for event in said] == ["user:assistant"]


async def test_it_sees_the_room_and_stops_and_restarts_what_is_in_it(
    jumping_clock, tmp_path
) -> None:
    async with operating(tmp_path, "a", "b") as operator:
        operator.stage.script("a", says("late", 50))
        running, waiting = [
            *await operator.room.send(A, content="x" * 500), *await operator.room.send(A)
        ]  # fmt: skip
        await operator.room.until(
            lambda: (
                operator.room.status(running) == "running"
                or bool(
                    operator.room.programs[A].prompts  # type: ignore[index]
                )
            )
        )
        await operator.it.settled()
        status = await operator.use("room_status")
        assert status["room"]["roomId"] == "room:main"
        assert [agent["agentId"] for agent in status["agents"]] == ["a", "b"]
        first, second = status["openTurns"]
        assert (first["turnId"], first["target"], first["author"]) == (running, A, "user:web")
        assert len(first["task"]) == 160
        assert (second["turnId"], second["status"], second["queuePosition"]) == (
            waiting, "queued", 0,
        )  # fmt: skip
        assert (await operator.use("cancel_turn", turnId=waiting))["status"] == "cancelled"
        await operator.use("cancel_turn", turnId=running)
        await operator.room.ended(running)
        assert operator.room.status(running) == "cancelled"
        restarted = await operator.use("restart_agent", agent="b")
        assert restarted["agent"]["state"] == "starting"
        await trio.sleep(5)
        assert len(operator.room.programs[B].sessions) == 2  # type: ignore[index]


async def test_watched_work(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a", "b") as operator:
        operator.stage.script("a", says("done"))
        operator.stage.script("b", says("seen"))
        pair = {"observers": ["b"], "mode": "live_steer"}
        answer = await operator.use("worker_dispatch", to=["a"], content="go", supervision=pair)
        [watching] = answer["watchTurns"]
        await operator.room.ended(answer["turns"][0]["turnId"], watching["turnId"])
        brief = operator.room.programs[B].prompts[0].text  # type: ignore[index]
        assert "supervision_watch" in brief


async def test_messages_are_read_in_bounded_pieces(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a") as operator:
        operator.stage.script("a", says("ok"))
        turns = [
            turn for _ in range(5) for turn in await operator.room.send(A, content="é" * 9_000)
        ]
        await operator.room.ended(*turns)
        read = await operator.use("read")
        assert len(read["events"]) == 20
        [long, *_] = (await operator.use("read", afterSeq=0, limit=1))["events"]
        assert len(long["content"]) == 2_000
        assert long["truncated"] == {"characters": 9_000, "readOn": {"offset": 2_000}}
        rest = await operator.use("read", eventId=long["eventId"], offset=2_000)
        assert len(rest["content"]) == 7_000
        everything = await operator.use("read", limit=100)
        assert {e["type"] for e in everything["events"]} <= {
            "message.created", "turn.queued", "turn.started", "turn.completed",
        }  # fmt: skip


async def test_bad_calls(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a", "b", limits=Limits(queue_per_agent=1)) as operator:
        refused = operator.refused
        work = {"to": ["a"], "content": "x"}
        for field in ("from", "actor", "provenance", "bindingId"):
            assert await refused("worker_dispatch", **work, **{field: "agent:b"}) == (
                "SENDER_FIELD_FORBIDDEN"
            )
        assert await refused("worker_dispatch", to=["zed"], content="x") == "UNKNOWN_TARGET"
        assert await refused("worker_dispatch", to=["a"], content=" ") == "INVALID_ENVELOPE"
        assert await refused("worker_dispatch", **work, extra=1) == "INVALID_ENVELOPE"
        assert await refused("worker_ask", **work, timeoutMs=50_001) == "INVALID_ENVELOPE"
        big = {"to": ["a"], "content": "x" * 1_000_000}
        assert await refused("worker_dispatch", **big) == "MESSAGE_TOO_LARGE"
        assert await refused("dispatch_event", to=["a"], eventId="evt_0") == "NOT_FOUND"
        assert await refused("read", eventId="evt_0") == "NOT_FOUND"
        assert await refused("cancel_turn", turnId="turn_0") == "NOT_FOUND"
        assert await refused("restart_agent", agent="zed") == "UNKNOWN_TARGET"
        pair = {"observers": ["a"], "mode": "live_steer"}
        assert await refused("worker_dispatch", **work, supervision=pair) == (
            "SUPERVISION_PAIR_INVALID"
        )
        await operator.room.set_lane(A, "paused")
        await operator.use("worker_dispatch", **work, clientCommandId="1")
        assert await refused("worker_ask", **work, clientCommandId="1") == (
            "CLIENT_COMMAND_CONFLICT"
        )
        assert await refused("worker_dispatch", **work) == "QUEUE_CAPACITY_REACHED"
        await operator.room.set_lane(A, "runnable")


async def test_a_member_finds_no_seat_there_and_the_bearer_ends_with_the_session(
    jumping_clock, tmp_path
) -> None:
    async with operating(tmp_path, "a") as operator:
        callers = operator.room.callers
        server = operator.it.program.profiles[0].mcp
        assert server is not None
        assert callers.find(server.bearer, "member") is None
    assert callers.find(server.bearer, "operator") is None
    assert operator.caller.gone.is_set()


async def test_it_acts_only_while_the_user_waits_for_its_reply(jumping_clock, tmp_path) -> None:
    async with operating(tmp_path, "a") as operator:
        it, work = operator.it, {"to": ["a"], "content": "x"}
        operator.prompt.answer("done")
        await it.settled()
        assert await operator.refused("worker_dispatch", **work) == "SESSION_NOT_AVAILABLE"
        it.program.confirms_cancel = False
        await it.say("and this", "c2")
        prompt = await it.prompt()
        assert (await operator.use("room_status"))["openTurns"] == []
        await it.cancel()
        await it.settled()
        assert await operator.refused("worker_dispatch", **work) == "SESSION_NOT_AVAILABLE"
        prompt.answer("too late")


async def test_a_program_that_leaves_in_the_middle_of_a_wait_takes_nothing_along(
    jumping_clock, tmp_path
) -> None:
    async with operating(tmp_path, "a") as operator:
        operator.stage.script("a", says("done all the same", 20))
        with trio.move_on_after(5) as left:
            await operator.use("worker_ask", to=["a"], content="well?")
        assert left.cancelled_caught
        [(turn,)] = operator.room.rows("SELECT turn_id FROM turns")
        await operator.room.ended(turn)
        assert operator.room.status(turn) == "completed"
