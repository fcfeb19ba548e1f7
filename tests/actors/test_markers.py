"""What is nobody else's business is in no text that an agent is sent, whatever it is sent for."""

import re
from typing import Any

import pytest

from groupx.actors.messages import CompactContext, Remember, SendMessage, SteerTurn
from groupx.actors.side_sessions import SideAnswer
from groupx.adapters.contract import Exited, ReasoningDelta, Started, ToolUpdate
from groupx.domain import compaction, rollup
from groupx.domain.ids import ActorId
from groupx.domain.memory_commands import MemoryDraft
from groupx.domain.supervision import WATCH_BRIEF, Supervision
from tests.actors.assisted import assisted
from tests.actors.fakes import FakePrompt, Room, answers
from tests.actors.test_rollups import records, scheduler

A, B, C = ActorId("agent:a"), ActorId("agent:b"), ActorId("agent:c")
REASONING, TOOL, STDERR = "PLANTED-reasoning", "PLANTED-tool", "PLANTED-stderr"
ASIDE, REASON, CORE = "PLANTED-aside", "PLANTED-reason", "PLANTED-core"
EVERYWHERE = (REASONING, TOOL, STDERR, ASIDE, REASON, CORE)


class Faithful:
    """What programs answer beside the room: all that they were told, word for word."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        self.asked.append(text)
        contents = re.findall(
            r"^<entry [^\n]*>\n(.*?)\n</entry \w+>$", text, re.DOTALL | re.MULTILINE
        )
        return SideAnswer(text="Checkpoint:\n" + "\n".join(contents))


async def keep_core(room: Room) -> None:
    draft = MemoryDraft(layer="core", owner=B, kind="note", content=CORE)
    await room.broker.ref.ask(Remember(client_command_id="core", draft=draft))


async def supervised_work(room: Room) -> str:
    """A works and is steered by B; the brief that B was woken with."""
    accepted = await room.broker.ref.ask(
        SendMessage(
            client_command_id="task", to=(A,), content="the task",
            supervision=Supervision(observers=(B,)),
        )
    )  # fmt: skip
    worker, observer = [await room.programs[actor].next_prompt() for actor in (A, B)]
    worker.emit(
        Started("n"),
        ReasoningDelta(REASONING),
        ToolUpdate(phase="completed", tool_call_id="1", name="Bash", kind="execute",
                   status="completed", details={"output": TOOL}),
    )  # fmt: skip
    await steer(room, observer, accepted.watch_turns[0].turn_id)
    for prompt in (worker, observer):
        prompt.answer("worked")
    guided = await room.programs[A].next_prompt()
    assert "stay on it" in guided.text
    guided.answer("guided")
    await room.ended(accepted.turns[0].turn_id, accepted.watch_turns[0].turn_id)
    [brief] = [e["content"] for e in room.events("message.created") if e.get("kind") == WATCH_BRIEF]
    return brief


async def steer(room: Room, observer: FakePrompt, watch_turn: str) -> None:
    observer.emit(Started("n"))
    await room.until(lambda: room.status(watch_turn) == "running")
    [(binding,)] = room.rows(
        "SELECT binding_id FROM session_bindings WHERE actor_id = ? AND closed_at IS NULL", B
    )
    guidance = SteerTurn(
        binding_id=binding, actor_id=B, parent_turn_id=watch_turn, action="nudge",
        reason=REASON, content="stay on it",
    )  # fmt: skip
    await room.broker.ref.ask(guidance)


async def crash(room: Room) -> None:
    """A's program ends with something on its stderr; its next session is rebuilt."""
    [turn] = await room.send(A, content="then crash")
    prompt = await room.programs[A].next_prompt()
    prompt.finish(Exited(returncode=1, stderr_excerpt=STDERR))
    await room.until(lambda: STDERR in str(room.directory.view(A).last_error))
    await room.ended(turn)


def told(room: Room, actor_id: ActorId) -> list[str]:
    return [prompt.text for prompt in room.programs[actor_id].prompts]


def stored(room: Room) -> str:
    return "\n".join(room.conn.iterdump())


def made(room: Room) -> list[Any]:
    """What was made of other texts: checkpoints, generated memories, the records of packets."""
    return room.rows(
        "SELECT content FROM summaries UNION ALL"
        " SELECT content FROM memory_records WHERE source_kind LIKE 'automatic%' UNION ALL"
        " SELECT packet_json FROM turn_attempts"
    )


@pytest.mark.slow
async def test_planted_sentences_reach_no_agent(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path, "a", "b", "c") as it:
        room = it.room
        await keep_core(room)
        await it.say(ASIDE)
        (await it.prompt()).answer(f"{ASIDE} too")
        await it.settled()
        room.side = Faithful()
        brief = await supervised_work(room)
        await crash(room)
        for actor_id in (A, B, C):
            room.programs[actor_id].script = answers
        for content in ("one more", "what of PLANTED and core?"):
            await room.ended(*await room.send("@all", content=content))
        await room.ended(*[turn for _ in range(6) for turn in await room.send(A, content="again")])
        await room.broker.ref.ask(CompactContext(client_command_id="compact"))
        await room.until(lambda: room.rows("SELECT 1 FROM summaries WHERE status = 'active'") != [])
        room.local_date = "2026-02-03"
        room.nursery.start_soon(scheduler(room).run)
        await room.until(lambda: {row[0] for row in records(room)} == {A, B, C})
        await room.control(C, "restart")
        await room.ended(*await room.send("@all", content="after the checkpoint"))

        for planted in (*EVERYWHERE, brief.splitlines()[0]):
            assert (planted in stored(room)) is (planted != STDERR), planted
        last = told(room, C)[0]
        for said in ("the task", "worked", "stay on it", "guided", "then crash"):
            assert said in last, "a fresh session is told what was said"
        for actor_id in (A, B, C):
            for text in told(room, actor_id):
                foreign = set(EVERYWHERE) - ({CORE} if actor_id == B else set())
                assert not [planted for planted in foreign if planted in text]
        assert CORE in told(room, B)[-1]
        checkpoint, *days = room.side.asked
        assert checkpoint.startswith(compaction.ASSIGNMENT)
        assert len(days) == 3
        assert all(day.startswith(rollup.ASSIGNMENT) for day in days)
        for asked in room.side.asked:
            assert not [planted for planted in (*EVERYWHERE, brief) if planted in asked]
        assert "stay on it" in checkpoint
        assert any("stay on it" in day for day in days)
        briefed = [text for who in (A, B, C) for text in told(room, who) if brief in text]
        assert len(briefed) == 1
        assert brief in re.split(r"\[current_message \w+\]", briefed[0])[1]
        assert not [row for row in made(room) for planted in EVERYWHERE if planted in str(row)]
