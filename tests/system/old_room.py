"""A room that is not started yet, on a frozen database that an older program made."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.store.released import copy_of
from tests.system.daemon import Daemon, demo_agent

AGENTS = ("grok", "kimi", "codex")


def old_room(make: Callable[[dict[str, Any]], Daemon], name: str) -> Daemon:
    """Its agents have the names that the frozen database knows."""
    daemon = make({agent: demo_agent() for agent in AGENTS})
    daemon.data.mkdir(mode=0o700)
    source = copy_of(name, daemon.folder / "frozen")
    for file in source.parent.iterdir():
        file.rename(daemon.data / file.name.replace(source.stem, "groupx-local"))
    return daemon


def database(daemon: Daemon) -> Path:
    """Its database."""
    return daemon.data / "groupx-local.db"
