"""The demo room: three agents and an assistant without a model, in a folder of their own."""

import shutil
from pathlib import Path

from groupx.cli.failures import Refused
from groupx.cli.place import Place
from groupx.cli.running import locked
from groupx.domain.config_draft import written
from groupx.setup.config_file import replace_config_file

DEMO_PORT = 4311

_AGENTS = (
    ("planner", "Planner", "Breaks a wish into steps and asks the others to take them."),
    ("builder", "Builder", "Does the work and says what was done."),
    ("reviewer", "Reviewer", "Reads what was done and looks for what is missing."),
)


def ensure_demo(place: Place, *, reset: bool) -> None:
    """Make the demo's config if there is none; `reset` begins with an empty folder."""
    folder = place.config_path.parent
    if reset:
        _clear(place, folder)
    if not place.config_path.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(place.config_path)


def _clear(place: Place, folder: Path) -> None:
    if locked(place):
        raise Refused(
            "the demo room is running, so it was not reset. Stop it with `groupx stop --demo`."
        )
    if folder.exists():
        shutil.rmtree(folder)


def _write(config: Path) -> None:
    document = {
        "server": {"port": DEMO_PORT},
        "agents": {
            key: {"driver": "demo", "name": name, "identity": identity, "cwd": "."}
            for key, name, identity in _AGENTS
        },
        "assistant": {
            "enabled": True,
            "name": "Assistant",
            "brain": {"driver": "demo", "cwd": "."},
        },
    }
    replace_config_file(config, written(document), private=True)
