"""What the real Claude Code 2.1.332 said, as it was recorded, read again."""

import json
from pathlib import Path

import pytest

from groupx.adapters.claude.prompting import Expected, PromptRun
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    Started,
    ToolUpdate,
)
from groupx.domain.errors import ErrorCode

WIRE = Path(__file__).parent / "wire"


class Replay:
    """One message of a recording, read by its own run from the first frame to the last."""

    def __init__(self, recording, number=0):
        lines = (WIRE / f"{recording}.jsonl").read_text().splitlines()
        said = [json.loads(line) for line in lines]
        names = [
            line["msg"]["uuid"]
            for line in said
            if line["dir"] == "in" and line["msg"].get("type") == "user" and "uuid" in line["msg"]
        ]
        frames = [line["msg"] for line in said if line["dir"] == "out"]
        [session, *others] = {f["session_id"] for f in frames if "session_id" in f}
        assert not others
        self.events = []
        expected = Expected(session_id=session, cwd="/w/work", mode="bypassPermissions")
        self.run = PromptRun(self.events.append, expected)
        self.run.reader._message_id = self.run.message_id = names[number]
        self.distrust = [reason for frame in frames if (reason := self.run.read(frame))]
        self.verdict = self.run.judge()

    @property
    def text(self):
        return "".join(e.text for e in self.events if isinstance(e, ContentDelta))

    @property
    def tools(self):
        return [(e.name, e.status) for e in self.events if isinstance(e, ToolUpdate)]


RECORDINGS = sorted(path.stem for path in WIRE.glob("*.jsonl"))


@pytest.mark.parametrize("recording", RECORDINGS)
def test_each_turn_begins_once_and_ends_once(recording):
    replay = Replay(recording)
    assert isinstance(replay.events[0], Started)
    assert sum(isinstance(event, Started) for event in replay.events) == 1
    assert replay.verdict.usable
    assert replay.distrust == []


def test_a_tool():
    replay = Replay("tool_turn")
    assert replay.text.startswith("runningtool said: hi-2\n/w/work")
    segments = [e for e in replay.events if isinstance(e, ContentDelta) and e.new_segment]
    assert [segment.text for segment in segments] == ["tool said: "]
    assert replay.tools == [("Bash", "pending"), ("Bash", "in_progress"), ("Bash", "completed")]
    usage = replay.verdict.end.usage
    assert (usage.input_tokens, usage.output_tokens, usage.context_used) == (20, 24, 22)
    assert usage.context_size == 1_000_000


def test_an_interrupt_in_a_text_and_the_message_after_it():
    assert Replay("interrupted_turn").verdict.end == Cancelled()
    assert Replay("interrupted_turn").text == "tok0 tok1 tok2 tok3 "
    after = Replay("interrupted_turn", 1)
    assert (after.text, type(after.verdict.end)) == ("hello from mock n=6", Completed)


def test_an_interrupt_in_a_tool():
    replay = Replay("interrupted_tool")
    assert replay.verdict.end == Cancelled()
    assert replay.tools[-1] == ("Bash", "failed")


def test_what_a_task_in_the_background_began_later_is_not_of_the_turn():
    replay = Replay("background_task")
    assert isinstance(replay.verdict.end, Completed)
    assert "n=133" not in replay.text


def test_an_error_of_the_api():
    end = Replay("api_error_400").verdict.end
    assert isinstance(end, Failed)
    assert (end.code, Replay("api_error_400").text) == (ErrorCode.NATIVE_TURN_FAILED, "")
    assert "400 mock error" in end.message
