"""Compaction by the agents' own programs: when, by whom, and what stays when it fails."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from groupx.actors.messages import CompactRoom
from groupx.actors.side_sessions import SideAnswer, SideFailure
from groupx.domain.compaction import ASSIGNMENT
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from tests.actors.fakes import Room, answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")
SMALL = Limits(context_characters=40_000)
SAY = """
INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,
  actor_display_name, targets_json, correlation_id, occurred_at, body_json)
VALUES (?, 'groupx.event/0.1', 'room:main', 'message.created', 'user:web', 'user', 'You', '[]',
  'corr', '2026-02-01T00:00:00.000Z', json_object('content', ?))
"""


class Side:
    """What programs answer beside the room, by agent; what they were asked."""

    def __init__(self, **scripts: Callable[[str], Awaitable[str]]) -> None:
        self.scripts = {ActorId(f"agent:{name}"): script for name, script in scripts.items()}
        self.asked: list[tuple[ActorId, str]] = []

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        self.asked.append((actor_id, text))
        return SideAnswer(text=await self.scripts[actor_id](text))

    @property
    def by(self) -> list[str]:
        return [actor_id for actor_id, _ in self.asked]


def saying(*texts: str) -> Callable[[str], Awaitable[str]]:
    """One after another, the last one for ever."""
    left = list(texts)

    async def script(_: str) -> str:
        await trio.sleep(1)
        return left.pop(0) if len(left) > 1 else left[0]

    return script


def failing(*errors: SideFailure, then: str = "checkpoint") -> Callable[[str], Awaitable[str]]:
    left = list(errors)

    async def script(_: str) -> str:
        if left:
            raise left.pop(0)
        return then

    return script


def fill(room: Room, messages: int, characters: int = 1_000) -> None:
    notes = "SELECT count(*) FROM events WHERE actor_id = 'user:web' AND correlation_id = 'corr'"
    already = room.conn.execute(notes).fetchone()[0]
    for number in range(already, already + messages):
        room.conn.execute(SAY, (f"evt_{number:032x}", f"note {number} " + "x" * characters))


def summaries(room: Room) -> list[tuple[str, str, int]]:
    rows = "SELECT status, content, through_seq FROM summaries ORDER BY rowid"
    return room.conn.execute(rows).fetchall()


def told(room: Room, what: str) -> list[dict[str, object]]:
    return [event["body"] for event in room.streamed(f"context.compaction.{what}")]


async def test_a_room_that_is_too_long_for_a_packet_is_compacted_first(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        room.side = side = Side(a=saying("first", "second", "third"), b=saying("never"))
        room.programs[B].script = answers
        fill(room, 120)
        [turn] = await room.send(B, content="and now?")
        await room.ended(turn)
        assert room.status(turn) == "completed"
        kept = summaries(room)
        assert [status for status, _, _ in kept] == ["superseded"] * (len(kept) - 1) + ["active"]
        assert side.by == [A] * len(kept)
        assert len(kept) > 1
        [prompt] = room.programs[B].prompts
        assert f"\n{kept[-1][1]}\n" in prompt.text
        assert len(prompt.text) <= SMALL.context_characters
        shown = [number for number in range(120) if f"note {number} " in prompt.text]
        assert shown == list(range(shown[0], 120))
        at = "SELECT seq FROM events WHERE json_extract(body_json, '$.content') LIKE ?"
        [(first,)] = room.conn.execute(at, (f"note {shown[0]} %",)).fetchall()
        assert first == kept[-1][2] + 1
        for earlier, (_, text) in zip(
            ["", *(text for _, text, _ in kept)], side.asked, strict=False
        ):
            assert text.startswith(ASSIGNMENT)
            assert f"\n{earlier}\n" in text
        assert len(told(room, "started")) == len(kept)
        assert len(told(room, "completed")) == 1


async def test_what_fits_softly_is_never_compacted(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        room.side = side = Side(a=saying("never"))
        room.programs[A].script = answers
        fill(room, 20)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        assert side.asked == []


async def test_who_comes_meanwhile_waits_for_the_one_that_runs(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        room.side = side = Side(a=saying("one", "two", "three", "four"), b=saying("never"))
        for program in room.programs.values():
            program.script = answers
        fill(room, 120)
        turns = await room.send(A, B)
        for turn in turns:
            await room.ended(turn)
            assert room.status(turn) == "completed"
        assert len(side.asked) == len(summaries(room)) == len(told(room, "started"))
        assert len(told(room, "completed")) == 1


async def test_an_ill_agent_and_a_useless_answer_lead_to_the_next(jumping_clock, tmp_path) -> None:
    lost = SideFailure("ADAPTER_EXITED", "a ended")
    async with open_room(tmp_path, "a", "b", "c", limits=SMALL) as room:
        room.side = side = Side(
            a=failing(lost, lost, lost), b=saying(" ", "x" * 9_000), c=saying("good")
        )
        room.programs[A].script = answers
        fill(room, 60)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        assert side.by[:3] == [A, B, ActorId("agent:c")]
        assert set(side.by[3:]) <= {"agent:c"}
        assert {content for _, content, _ in summaries(room)} == {"good"}


async def test_only_a_start_is_tried_again(jumping_clock, tmp_path) -> None:
    unstarted = SideFailure("ADAPTER_START_FAILED", "a did not start", transient=True)
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        room.side = side = Side(a=failing(unstarted, unstarted, then="at last"))
        room.programs[A].script = answers
        fill(room, 60)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        assert [it["attempt"] for it in told(room, "retrying")] == [1, 2]
        assert side.by[:3] == [A, A, A]
        assert summaries(room)[-1][1] == "at last"


async def test_when_all_fail_the_turn_says_why_and_everything_stays(
    jumping_clock, tmp_path
) -> None:
    lost = SideFailure("NATIVE_QUOTA_EXCEEDED", "a has no quota left")
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        room.side = Side(a=failing(*[lost] * 9))
        room.programs[A].script = answers
        fill(room, 900, characters=2_000)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "failed"
        [refusal] = room.events("turn.failed")
        assert refusal["errorCode"] == "CONTEXT_BUDGET_EXCEEDED"
        assert "a has no quota left" in refusal["message"]
        assert summaries(room) == []
        assert room.conn.execute("SELECT count(*) FROM delivery_cursors").fetchone() == (0,)
        assert room.programs[A].prompts == []
        [failed] = told(room, "failed")
        assert failed["errorCode"] == "NATIVE_QUOTA_EXCEEDED"


async def test_a_failure_harms_no_packet_that_fits_the_hard_limit(jumping_clock, tmp_path) -> None:
    lost = SideFailure("ADAPTER_EXITED", "a ended")
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        room.side = Side(a=failing(*[lost] * 9))
        room.programs[A].script = answers
        fill(room, 28)
        [turn] = await room.send(A)
        await room.ended(turn)
        assert room.status(turn) == "completed"
        [prompt] = room.programs[A].prompts
        assert "note 0 " in prompt.text
        assert len(told(room, "failed")) == 1


async def test_by_hand_all_but_the_twelve_newest(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        room.side = Side(a=saying("by hand"))
        fill(room, 20, characters=10)
        compaction_id = await room.context.ref.ask(CompactRoom())
        assert await room.context.ref.ask(CompactRoom()) == compaction_id
        await room.until(lambda: told(room, "completed") != [])
        [(status, content, covered)] = summaries(room)
        assert (status, content) == ("active", "by hand")
        above = "SELECT count(*) FROM events WHERE event_type = 'message.created' AND seq > ?"
        assert room.conn.execute(above, (covered,)).fetchone() == (12,)
        with pytest.raises(GroupXError) as refused:
            await room.context.ref.ask(CompactRoom())
        assert refused.value.code is ErrorCode.STORE_CONFLICT


async def compacted(room: Room) -> None:
    """By hand, to its end."""
    done = len(told(room, "completed"))
    await room.context.ref.ask(CompactRoom())
    await room.until(lambda: len(told(room, "completed")) > done)


async def test_a_pass_goes_on_from_what_tells_nothing_of_a_message_that_was_taken_back(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", limits=SMALL) as room:
        room.side = side = Side(a=saying("knows nothing", "knows the secret", "knows again"))
        fill(room, 20, characters=10)
        await compacted(room)
        await room.set_lane(A, "paused")
        [turn] = await room.send(A, content="the secret")
        fill(room, 20, characters=10)
        await compacted(room)
        await room.withdraw(turn)
        assert [status for status, _, _ in summaries(room)] == ["active", "retracted"]
        await compacted(room)
        _, _, (_, prompt) = side.asked
        assert "\nknows nothing\n" in prompt
        assert "secret" not in prompt
        shown = [number for number in range(40) if f"note {number} " in prompt]
        assert shown == list(range(20 - 12, 40 - 12))
        assert [(status, content) for status, content, _ in summaries(room)] == [
            ("superseded", "knows nothing"),
            ("retracted", "knows the secret"),
            ("active", "knows again"),
        ]


async def test_an_old_turn_takes_a_checkpoint_that_is_younger_than_it(
    jumping_clock, tmp_path
) -> None:
    """Its packet could hold neither all that was said before it, nor an earlier checkpoint."""
    async with open_room(tmp_path, "a", "b", limits=SMALL) as room:
        room.side = Side(a=saying("the checkpoint"), b=saying("never"))
        for program in room.programs.values():
            program.script = answers
        fill(room, 60)
        await room.set_lane(B, "paused")
        [waiting] = await room.send(B, content="an old question")
        fill(room, 60)
        [turn] = await room.send(A)
        await room.ended(turn)
        await room.set_lane(B, "runnable")
        await room.ended(waiting)
        assert room.status(waiting) == "completed"
        [prompt] = room.programs[B].prompts
        assert "\nthe checkpoint\n" in prompt.text
        assert "note " not in prompt.text
        assert "\nan old question\n" in prompt.text
        [(covered,)] = room.conn.execute("SELECT max(through_seq) FROM summaries").fetchall()
        cursor = "SELECT last_delivered_seq, last_summary_seq FROM delivery_cursors"
        assert (covered, covered) in room.conn.execute(cursor).fetchall()
