"""`groupx context`: what is shown of the gauge, and which command of the room is sent."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from groupx.cli import context, group
from groupx.cli.client import Answer
from groupx.cli.place import Place
from groupx.domain.config_parsing import SMALLEST_CONFIG

GAUGE = {
    "estimatedCharacters": 61_240, "maxCharacters": 256_000, "utilizationPercent": 23.9,
    "compactionTriggerCharacters": 192_000, "uncompactedMessageCount": 118, "compactable": True,
    "summaryThroughSeq": 412,
    "bySource": [
        {"actorId": "agent:a", "source": "turn", "characters": 9_120, "tokens": 31_877},
        {"actorId": "agent:b", "source": "watch", "characters": None},
    ],
}  # fmt: skip


class Room:
    """Answers as a running room would; `asked` is what came."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.places: list[Place] = []
        self.answer = Answer(status=200, body=dict(GAUGE))

    def get(self, path: str) -> Answer:
        self.asked.append((path, None))
        return self.answer

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        assert len(body.pop("clientCommandId")) == 32
        self.asked.append((path, body))
        return self.answer


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPX_CONFIG", raising=False)
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)
    it = Room()
    monkeypatch.setattr(context, "find_running", lambda place: it.places.append(place) or place)
    monkeypatch.setattr(context, "client_of", lambda place, running: it)
    return it


def run(*argv: str) -> Result:
    return CliRunner().invoke(group, ["context", *argv])


def test_it_says_how_full_the_context_is(room: Room) -> None:
    assert run().output.splitlines() == [
        "About 61240 of 256000 characters (23.9 %)",
        "  118 messages that no checkpoint covers",
        "  checkpoint at seq 412",
        "  agent:a turn: 9120 characters, 31877 tokens",
        "  agent:b watch: unknown",
    ]
    assert json.loads(run("--json").output) == GAUGE
    assert room.asked == [("/api/context", None)] * 2


@pytest.mark.parametrize("sessions", [False, True])
def test_it_resets(room: Room, sessions: bool) -> None:
    room.answer = Answer(status=200, body={"throughSeq": 431, "changed": True})
    said = run("reset", *(["--native-sessions"] if sessions else [])).output
    assert "up to seq 431" in said
    assert ("new session" in said) is sessions
    assert room.asked == [("/api/context/reset", {"resetNativeSessions": sessions})]
    room.answer = Answer(status=200, body={"throughSeq": 431, "changed": False})
    assert "nothing was changed" in run("reset").output


def test_it_compacts(room: Room) -> None:
    room.answer = Answer(status=202, body={"compactionId": "compaction_1"})
    assert "(compaction_1)" in run("compact").output
    assert room.asked == [("/api/context/compact", {})]


def test_it_ends_a_compaction(room: Room) -> None:
    room.answer = Answer(status=200, body={"compactionId": "compaction_1"})
    assert "compaction_1 was ended" in run("compact", "--cancel").output
    assert room.asked == [("/api/context/compact/cancel", {})]


@pytest.mark.parametrize(
    ("last", "line"),
    [
        ({"state": "running", "passes": 3}, "  last compaction running, 3 passes begun"),
        (
            {"state": "failed", "passes": 1, "errorCode": "X", "message": "No agent could."},
            "  last compaction failed, 1 pass begun: No agent could.",
        ),
        (
            {"state": "failed", "passes": 0, "errorCode": "INTERNAL_ERROR"},
            "  last compaction failed, 0 passes begun: INTERNAL_ERROR",
        ),
    ],
)
def test_it_says_how_the_last_compaction_stands(room: Room, last: dict[str, Any], line: str):
    room.answer = Answer(status=200, body=GAUGE | {"compaction": last})
    assert line in run().output.splitlines()


def test_a_refusal_is_told_in_the_rooms_words(room: Room) -> None:
    words = {"error": {"code": "RUNTIME_CLOSING", "message": "GroupX is stopping."}}
    room.answer = Answer(status=503, body=words)
    for argv in ((), ("reset",), ("compact",)):
        done = run(*argv)
        assert done.exit_code == 1
        assert "GroupX is stopping." in done.output


def test_the_config_may_be_named_on_either_side(room: Room, tmp_path: Path) -> None:
    other = str(tmp_path / "other.json")
    room.answer = Answer(status=200, body={"throughSeq": 0, "changed": False})
    for argv in (("--config", other, "reset"), ("reset", "--config", other)):
        assert run(*argv).exit_code == 0
        assert room.places.pop().config_path.name == "other.json"


def test_without_a_running_room_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPX_CONFIG", raising=False)
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)
    for argv in ((), ("reset",)):
        done = run(*argv)
        assert done.exit_code == 1
        assert "groupx start" in done.output
