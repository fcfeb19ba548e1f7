"""The demo agent's memories of its days: the same for the same turns, and days that go on."""

import pytest

from groupx.demo_agent.remembering import KEPT_LINES, NOTHING, memory_for
from groupx.domain.ids import MAIN_ROOM, USER_WEB, ActorId
from groupx.domain.packet_inputs import TranscriptEntry
from groupx.domain.rollup import (
    NOTHING as AGREED,
)
from groupx.domain.rollup import (
    Batch,
    DatedRecord,
    DayKey,
    Pair,
    memory_of,
    rollup_prompt,
)

ADA = ActorId("agent:ada")
MARK = "c0ffee0123456789"


def said(actor: ActorId, content: str) -> TranscriptEntry:
    return TranscriptEntry(
        event_id="evt_1", seq=1, type="message.created", actor_id=actor, actor_name=actor,
        occurred_at="2026-02-02T10:00:00.000Z", content=content,
    )  # fmt: skip


def asked(*turns: tuple[str, str], before: str | None = None) -> str:
    record = None
    if before is not None:
        record = DatedRecord(memory_id="mem_1", content=before, at="2026-02-02T09:00:00.000Z")
    batch = Batch(
        key=DayKey(room_id=MAIN_ROOM, actor_id=ADA, local_date="2026-02-02"),
        begun_at="now",
        previous=record,
        turn_ids=("turn_1",),
    )
    pairs = [Pair(source=said(USER_WEB, one), response=said(ADA, two)) for one, two in turns]
    return rollup_prompt(batch, pairs, MARK)


def test_each_turn_is_a_line_after_those_of_before():
    prompt = asked(("add\ntests", "added 3"), ("thanks!", "welcome"), before="- user: a → b")
    assert memory_for(prompt) == "- user: a → b\n- user: add tests → added 3"
    assert memory_of(memory_for(prompt) or "", MARK) == memory_for(prompt)


@pytest.mark.parametrize("greeting", ["hello", "Thank you!", "你好"])
def test_greetings_are_nothing_worth_keeping(greeting):
    assert (
        memory_for(asked((greeting, "hello to you"), before="- user: a → b")) == NOTHING == AGREED
    )


def test_a_long_day_keeps_its_newest_lines():
    before = "\n".join(f"- line {number}" for number in range(KEPT_LINES))
    text = memory_for(asked(("x" * 9_000, "y" * 9_000), before=before))
    assert text is not None
    assert len(text.splitlines()) == KEPT_LINES
    assert "- line 0\n" not in text
    assert len(text) < 8_000


@pytest.mark.parametrize("prompt", ["hello", "This is a task of bookkeeping, but another one."])
def test_anything_else_is_an_ordinary_turn(prompt):
    assert memory_for(prompt) is None
