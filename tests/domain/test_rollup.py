"""When a batch of dated memory is due, what is asked, and what counts as an answer."""

import attrs
import pytest

from groupx.domain.ids import MAIN_ROOM, ActorId
from groupx.domain.packet_inputs import TranscriptEntry
from groupx.domain.rollup import (
    ASSIGNMENT,
    LONGEST_RETRY_MS,
    MAX_ROLLUP_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    QUIET_MS,
    Batch,
    DatedRecord,
    DayKey,
    Now,
    Pair,
    PendingDay,
    days_to_write,
    due,
    material,
    memory_of,
    retry_ms,
    rollup_prompt,
)
from groupx.domain.times import iso_from_ms, ms_from_iso

A = ActorId("agent:a")
KEY = DayKey(room_id=MAIN_ROOM, actor_id=A, local_date="2026-02-02")
LAST = ms_from_iso("2026-02-02T10:00:00.000Z")
DAY = PendingDay(
    key=KEY,
    turns=1,
    characters=10,
    first_source_seq=5,
    last_pending_at="2026-02-02T10:00:00.000Z",
)


def at(after_ms: int, date: str = "2026-02-02") -> Now:
    return Now(LAST + after_ms, date)


@pytest.mark.parametrize(
    ("changes", "now", "trigger"),
    [
        ({}, at(QUIET_MS), None),
        ({"turns": 8}, at(QUIET_MS - 1), None),
        ({"turns": 8}, at(QUIET_MS), "turns"),
        ({"turns": 7}, at(QUIET_MS), None),
        ({"characters": 16_000}, at(QUIET_MS), "characters"),
        ({"characters": 16_000}, at(0), None),
        ({"characters": 15_999}, at(QUIET_MS), None),
        ({}, at(0, "2026-02-03"), "date"),
        ({}, at(0, "2026-02-01"), None),
        ({"turns": 8}, at(QUIET_MS, "2026-02-01"), "turns"),
        ({"covered_seq": 5}, at(0), "compaction"),
        ({"covered_seq": 4}, at(0), None),
        ({"turns": 8}, at(-1), "turns"),
    ],
    ids=str,
)
def test_triggers(changes, now, trigger):
    assert due(attrs.evolve(DAY, **changes), now) == trigger


@pytest.mark.parametrize(
    ("next_ms", "held"),
    [(0, False), (1, True), (LONGEST_RETRY_MS, True), (LONGEST_RETRY_MS + 1, False), (-1, False)],
)
def test_after_a_failure_it_waits_but_never_longer_than_the_longest_backoff(next_ms, held):
    day = attrs.evolve(DAY, next_attempt_at=iso_from_ms(LAST + next_ms))
    assert due(day, at(0, "2026-02-03")) == (None if held else "date")


def other(actor: str, date: str, **changes) -> PendingDay:
    key = DayKey(room_id=MAIN_ROOM, actor_id=ActorId(actor), local_date=date)
    return attrs.evolve(DAY, key=key, **changes)


def test_while_one_day_of_an_owner_is_held_all_are_and_nobody_elses():
    held = {"next_attempt_at": iso_from_ms(LAST + 1), "failures": 1}
    days = (
        other("agent:a", "2026-02-02"),
        other("agent:a", "2026-02-03", **held),
        other("agent:b", "2026-02-02"),
    )
    now = at(0, "2026-02-04")
    assert [key.actor_id for key in days_to_write(days, now)] == ["agent:b"]
    assert len(days_to_write(days, at(1, "2026-02-04"))) == 3


def test_what_failed_most_is_tried_last_and_else_the_oldest_first():
    days = (
        other("agent:a", "2026-02-01", failures=2),
        other("agent:a", "2026-02-02"),
        other("agent:a", "2026-02-03", failures=1),
        other("agent:a", "2026-02-04"),
        other("agent:a", "2026-02-05"),
    )
    dates = [key.local_date[-1] for key in days_to_write(days, at(0, "2026-02-05"))]
    assert dates == ["2", "4", "3", "1"], "the day that is not over waits"


def test_the_backoff_doubles_and_is_bounded():
    assert [retry_ms(n) // 60_000 for n in (1, 2, 3, 7, 8, 10_000)] == [1, 2, 4, 60, 60, 60]


def said(seq: int, actor: str, content: str, **changes) -> TranscriptEntry:
    return TranscriptEntry(
        event_id=f"evt_{seq}", seq=seq, type="message.created", actor_id=ActorId(actor),
        actor_name=actor, occurred_at="2026-02-02T10:00:00.000Z", content=content, **changes,
    )  # fmt: skip


def batch(previous: DatedRecord | None = None) -> Batch:
    return Batch(key=KEY, begun_at="now", previous=previous, turn_ids=("turn_1",))


def test_the_prompt_has_the_memory_so_far_and_both_sides_of_each_turn():
    before = DatedRecord(memory_id="mem_1", content="built the API", at="2026-02-02T09:00:00.000Z")
    pair = Pair(source=said(5, "user:web", "add tests"), response=said(6, A, "added 3"))
    prompt = rollup_prompt(batch(before), [pair], "m4rk")
    assert prompt.startswith(ASSIGNMENT)
    order = [
        "memory_so_far m4rk", "author=agent:a", "source=automatic-rollup", "built the API",
        "new_turns m4rk", "author=user:web", "add tests", "source=self", "added 3", "Now write",
    ]  # fmt: skip
    places = [prompt.index(it, len(ASSIGNMENT)) for it in order]
    assert places == sorted(places)
    assert material(batch(before), [pair]) == ("built the API", "add tests", "added 3")


def test_what_is_too_long_is_cut_and_what_was_taken_back_is_not_told():
    long = said(5, "user:web", "x" * (MAX_TEXT_CHARACTERS + 1))
    gone = said(6, A, "", withdrawn=True)
    prompt = rollup_prompt(batch(), [Pair(source=long, response=gone)], "m4rk")
    assert "x" * MAX_TEXT_CHARACTERS in prompt
    assert "x" * (MAX_TEXT_CHARACTERS + 1) not in prompt
    assert f"only the first {MAX_TEXT_CHARACTERS} of {MAX_TEXT_CHARACTERS + 1} characters" in prompt
    assert 'note="taken back by its author"' in prompt
    assert "memory_so_far m4rk" not in prompt


@pytest.mark.parametrize(
    "answer", ["NOTHING WORTH KEEPING", " nothing worth keeping.\n", "`Nothing worth keeping`"]
)
def test_nothing_worth_keeping(answer):
    assert memory_of(answer, "m4rk") is None


def test_an_answer_is_the_memory():
    assert memory_of("\n- built it\n", "m4rk") == "- built it"
    assert memory_of("There was nothing worth keeping but X.", "m4rk") is not None
    assert memory_of("x" * MAX_ROLLUP_CHARACTERS, "m4rk") == "x" * MAX_ROLLUP_CHARACTERS


@pytest.mark.parametrize("answer", ["", " \n", "x" * 8_001, "<entry m4rk>", ASSIGNMENT])
def test_what_is_no_memory(answer):
    with pytest.raises(ValueError, match=r"^it "):
        memory_of(answer, "m4rk")
