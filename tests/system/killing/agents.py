"""The agents of a kill test: every driver family with a slow turn, and what its log tells."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from conformance import app_server_scenario, scenario, stream_json_scenario
from conformance.scenario import Step
from groupx.demo_agent import read_packet
from tests.system.daemon import Json

PROGRAM = Path(__file__).parent / "recording_agent.py"
PIECES = ("This ", "answer ", "takes ", "its ", "time.")
PAUSE_SECONDS = 0.04
PROMPTS = 40
"""More than any case sends to one process."""


def _slowly(says: Callable[[str], Step]) -> list[Step]:
    return [step for piece in PIECES for step in (says(piece), {"pause": PAUSE_SECONDS})]


def _acp() -> Json:
    turn = [*_slowly(scenario.says), scenario.ends()]
    return {"session/prompt": [turn] * PROMPTS}


def _codex() -> Json:
    words = app_server_scenario
    turn = [*words.BEGINS, {"pause": PAUSE_SECONDS}, *_slowly(words.says), words.ends()]
    return {"turn/start": [turn] * PROMPTS}


def _claude() -> Json:
    words = stream_json_scenario
    turn = [*words.BEGINS, words.message(), *_slowly(words.says), *words.ends()]
    return {"user": [turn] * PROMPTS}


def _acp_prompt(frame: Json) -> str | None:
    if frame.get("method") != "session/prompt":
        return None
    return str(frame["params"]["prompt"][0]["text"])


def _codex_prompt(frame: Json) -> str | None:
    return str(frame["params"]["input"][0]["text"]) if frame.get("method") == "turn/start" else None


def _claude_prompt(frame: Json) -> str | None:
    return str(frame["message"]["content"]) if frame.get("type") == "user" else None


@attrs.frozen
class Family:
    """How the programs of one driver are scripted, and where a prompt is in their frames."""

    scenario: Callable[[], Json]
    prompt: Callable[[Json], str | None]


FAMILIES = {
    "acp": Family(_acp, _acp_prompt),
    "codex": Family(_codex, _codex_prompt),
    "claude": Family(_claude, _claude_prompt),
}


def agent_config(driver: str, folder: Path, name: str) -> Json:
    """The config of a recording agent; its log is `log_of(folder, name)`."""
    script = folder / f"{driver}.json"
    script.write_text(json.dumps(FAMILIES[driver].scenario()))
    command = [sys.executable, "-S", str(PROGRAM), driver, str(script), str(log_of(folder, name))]
    return {"driver": driver, "command": command, "cwd": "."}


def log_of(folder: Path, name: str) -> Path:
    """Everything that the agent received, over all its processes."""
    return folder / f"{name}.log.jsonl"


@attrs.frozen
class Seen:
    """What one agent received of prompts: the current messages, in order; and broken frames."""

    messages: tuple[str, ...]
    pieces: int = 0


def seen_in(log: Path, driver: str) -> Seen:
    """Read an agent's log."""
    messages: list[str] = []
    pieces = 0
    for line in log.read_bytes().split(b"\n")[:-1] if log.exists() else []:
        try:
            frame: Any = json.loads(line)
        except ValueError:
            pieces += 1
            continue
        prompt = FAMILIES[driver].prompt(frame)
        if prompt is not None:
            messages.append(read_packet(prompt)[0])
    return Seen(tuple(messages), pieces)
