"""What a start says."""

import json
from pathlib import Path
from typing import Any

import pytest

from groupx.adapters.registry import ADAPTERS
from groupx.domain.config_parsing import parse_config
from groupx.domain.ids import ActorId
from groupx.domain.ledger import Recovered, TurnOf
from groupx.runtime_notices import config_notices, restart_notice


@pytest.mark.parametrize(
    ("recovered", "message"),
    [
        (Recovered(), None),
        (
            Recovered(interrupted=2, delivery_unknown=1),
            "restarted 14:02: 2 turns interrupted, 1 delivery unknown",
        ),
        (
            Recovered(requeued=1, cancelled=3, failed=1),
            "restarted 14:02: 1 turn queued again, 3 turns cancelled, 1 turn failed",
        ),
    ],
)
def test_counts_are_said_and_nothing_else(recovered: Recovered, message: str | None):
    notice = restart_notice(recovered, clock="14:02")
    assert (notice and notice.message) == message


def test_the_facts_name_the_counts_that_are_said_and_the_turns_that_were_cut_short():
    cut = TurnOf(turn_id="turn_1", target_actor_id=ActorId("agent:ada"))
    notice = restart_notice(Recovered(interrupted=1, cut_short=(cut,)), clock="14:02")
    assert notice is not None
    assert notice.facts == {
        "counts": {"interrupted": 1},
        "turns": [{"turnId": "turn_1", "targetActorId": "agent:ada"}],
    }


def codes(folder: Path, mode: int, **document: Any) -> list[str]:
    path = folder / "groupx.json"
    path.write_text(json.dumps({"agents": {"ada": {"driver": "demo", "cwd": "."}}, **document}))
    path.chmod(mode)
    config = parse_config(path.read_bytes(), path=str(path), drivers=ADAPTERS)
    return [n.code for n in config_notices(config)]


def assistant(enabled: bool, **env: str) -> Any:
    brain = {"driver": "demo", "cwd": ".", "env": env}
    return {"enabled": enabled, "name": "Helper", "brain": brain}


def test_an_ordinary_config_says_nothing(tmp_path: Path):
    assert codes(tmp_path, 0o644) == []


def test_an_assistant_is_nothing_odd(tmp_path: Path):
    assert codes(tmp_path, 0o644, assistant=assistant(enabled=True)) == []
    assert codes(tmp_path, 0o644, assistant=assistant(enabled=False)) == []


@pytest.mark.parametrize(("mode", "said"), [(0o600, False), (0o640, True), (0o604, True)])
def test_values_that_others_can_read_are_said(tmp_path: Path, mode: int, said: bool):
    agents = {"ada": {"driver": "demo", "cwd": ".", "env": {"KEY": "s3cret"}}}
    expected = ["config_readable"] * said
    assert codes(tmp_path, mode, agents=agents) == expected
    assert codes(tmp_path, mode, assistant=assistant(enabled=False, KEY="s3cret")) == expected
