"""What was watched, thought or printed is in nobody's later packet and in no answer of `read`."""

import pytest
import trio

from groupx.adapters.contract import ReasoningDelta, Started, ToolUpdate
from groupx.domain.errors import ErrorCode
from groupx.store import supervision
from tests.mcp.acting import acting

A, B, C = "agent:a", "agent:b", "agent:c"
BRIEF, REASON = "The brief is a lighthouse.", "The reason is a walnut."
THOUGHT, PRINTED = "The thought is a violin.", "The output is a glacier."
MARKERS = (BRIEF, REASON, THOUGHT, PRINTED)
SAID = ("the task", "the guidance", "what a said", "what b said")


def leaks(texts):
    """Every marker that stands somewhere in these."""
    whole = "\n".join(texts)
    return [marker for marker in MARKERS if marker in whole]


async def thinks_aloud(prompt, last):
    """Everything private that a program can show, then what it says."""
    tool = ToolUpdate(
        phase="completed", tool_call_id="1", status="completed", name=PRINTED, kind="execute",
        details={"input": PRINTED, "output": PRINTED},
    )  # fmt: skip
    prompt.emit(Started("n"), ReasoningDelta(THOUGHT), tool)
    await trio.sleep(5)
    prompt.answer(last)


@pytest.mark.slow
async def test_a_watch_leaves_no_trace_in_packets_and_reading(jumping_clock, tmp_path, monkeypatch):
    brief = supervision.watch_brief
    monkeypatch.setattr(supervision, "watch_brief", lambda *given: f"{brief(*given)}\n{BRIEF}")
    async with acting(tmp_path, "a", "b", "c") as stage:
        shown = []

        async def works(prompt):
            await thinks_aloud(prompt, "what a said")

        async def watches(prompt):
            assert leaks([prompt.text]) == [BRIEF], "the observer has its own brief"
            shown.append(await stage.use(prompt, "watch", until="next_milestone", afterSeq=0))
            subject = {"subjectTurnId": shown[0]["snapshot"]["turnId"]}
            given = {"reason": REASON, "content": "the guidance", **subject}
            await stage.use(prompt, "steer", action="nudge", **given)
            shown.append(await stage.use(prompt, "watch", until="terminal", **subject))
            await thinks_aloud(prompt, "what b said")

        pair = await stage.pair(works, watches)
        assert leaks(map(str, shown)) == [REASON], "observers see the reason of the last steer"
        stored = "".join(str(row) for row in stage.room.rows("SELECT body_json FROM events"))
        assert leaks([stored]) == list(MARKERS), "all of it was there to be seen"
        await stage.room.until(
            lambda: stage.room.rows("SELECT 1 FROM turns WHERE terminal_at IS NULL") == []
        )
        later = {actor: len(program.prompts) for actor, program in stage.room.programs.items()}
        assert later == {A: 2, B: 1, C: 0}

        async def reads(prompt):
            answers = [await stage.use(prompt, "read")]
            after, more = 0, True
            while more:
                page = await stage.use(prompt, "read", afterSeq=after, limit=7)
                after, more = page["nextAfterSeq"], page["more"]
                answers.append(page)
            for event_id, is_said in events:
                if is_said:
                    answers.append(await stage.use(prompt, "read", eventId=event_id))
                else:
                    code = await stage.refused(prompt, "read", eventId=event_id)
                    assert code is ErrorCode.NOT_FOUND
            told.extend(map(str, answers))

        told = []
        [(brief_id,)] = stage.room.rows(
            "SELECT source_event_id FROM turns WHERE turn_id = ?", pair.watch
        )
        events = stage.room.rows(
            "SELECT event_id, event_type = 'message.created' AND event_id <> ? FROM events",
            brief_id,
        )
        for name in ("a", "b", "c"):
            await stage.run(name, reads, content=f"tell {name} of it")
        prompts = [prompt for program in stage.room.programs.values() for prompt in program.prompts]
        assert len(prompts) == 6
        packets = [prompt.text for prompt in prompts if prompt.source != brief_id]
        assert leaks(packets) == leaks(told) == []
        for words in SAID:
            assert any(words in text for text in told)
            assert words in stage.room.programs[C].prompts[-1].text
