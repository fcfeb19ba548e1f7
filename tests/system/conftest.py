"""Daemons for system tests: whatever a test does, nothing of them is left afterwards."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.daemon import Daemon, demo_agent

MakeDaemon = Callable[..., Daemon]


@pytest.fixture
def make_daemon(tmp_path: Path) -> Iterator[MakeDaemon]:
    """`make_daemon(agents=None, **config)`: a config in a folder of its own, not started."""
    made: list[Daemon] = []

    def make(agents: dict[str, Any] | None = None, **config: Any) -> Daemon:
        folder = tmp_path / f"room-{len(made)}"
        folder.mkdir()
        default = {"ada": demo_agent(), "bob": demo_agent()}
        daemon = Daemon(folder, default if agents is None else agents, **config)
        made.append(daemon)
        return daemon

    yield make
    for daemon in made:
        daemon.dispose()


@pytest.fixture
def daemon(make_daemon: MakeDaemon) -> Daemon:
    """A running room with two quick demo agents, ada and bob."""
    started = make_daemon()
    started.start()
    return started
