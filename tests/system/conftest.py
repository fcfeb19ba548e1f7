"""Daemons and real programs for system tests: nothing of them is left afterwards."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.install_real import ORDINARY
from conformance.mock import MockModel
from conformance.real_programs import PROGRAMS, RealProgram
from groupx.adapters.contract import SessionProfile
from groupx.domain.limits import Timeouts
from groupx.process.spawner import Spawner
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


# --- real programs


def reason_to_skip(program: RealProgram) -> str | None:
    """Why a real program is not driven: it is not there, or large and nobody asked for it."""
    asked = os.environ.get("GX_TEST_REAL", ",".join(ORDINARY))
    if asked != "all" and program.name not in asked.split(","):
        return f"{program.name} is driven only with GX_TEST_REAL={program.name} (or all)"
    return None if program.path() else program.missing()


@pytest.fixture
def program(request: pytest.FixtureRequest) -> RealProgram:
    """The real program that the test names, by `parametrize(..., indirect=True)`."""
    program = PROGRAMS[request.param]
    if reason := reason_to_skip(program):
        pytest.skip(reason)
    return program


@pytest.fixture
def model(tmp_path: Path) -> Iterator[MockModel]:
    """The mock model that real programs are pointed at."""
    with MockModel(log=tmp_path / "model.jsonl") as model:
        yield model


@pytest.fixture
async def spawner() -> AsyncIterator[Spawner]:
    """What starts programs."""
    spawner = Spawner()
    await spawner.start()
    yield spawner
    await spawner.aclose()


@pytest.fixture
def profile(tmp_path: Path, program: RealProgram, model: MockModel) -> SessionProfile:
    """A session of `program` in a home of its own, `tmp_path / "home"`."""
    work = tmp_path / "work"
    work.mkdir()
    return SessionProfile(
        agent_id=program.name,
        command=program.command(),
        args=program.args,
        mode=program.mode,
        cwd=str(work),
        env=program.environment(tmp_path / "home", model.url),
        run_dir=str(tmp_path),
        timeouts=Timeouts(request=60_000, handshake=90_000),  # of a busy machine's first start
    )
