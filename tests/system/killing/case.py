"""One case: a room is killed at a point, comes back, and is asked what became of everything."""

import http.client
import secrets
import signal
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import attrs

from groupx.process.killing import KILL_VARIABLE
from tests.system.daemon import TERMINAL, Daemon, of_turn
from tests.system.killing.agents import agent_config, log_of, seen_in
from tests.system.killing.checker import problems
from tests.system.killing.evidence import Command, Evidence, dump

NAMES = ("ada", "bob")
ACTORS = tuple(f"agent:{name}" for name in NAMES)
POSTERS = 3
PATIENCE_SECONDS = 120.0
"""For each step; a machine may be busy with other rooms."""


@attrs.frozen(kw_only=True)
class Case:
    """What is to happen: orders to die, one a run, and who is killed."""

    orders: tuple[str, ...]
    """Values of GROUPX_KILL_AT, for the first start and those after it."""
    driver: str = "acp"
    messages: int = 7

    @property
    def point(self) -> str:
        """The one that the case is about: where its last run died."""
        return self.orders[-1].split(":")[0]


@attrs.frozen(kw_only=True)
class Result:
    """What was found."""

    case: Case
    problems: tuple[str, ...]
    evidence: Evidence


def run_case(case: Case, folder: Path) -> Result:
    """Start, post, die, come back, settle; then what the checker says. Leaves no process."""
    agents = {name: agent_config(case.driver, folder, name) for name in NAMES}
    daemon = Daemon(folder, agents)
    try:
        return _run(case, daemon)
    finally:
        daemon.dispose()


def _run(case: Case, daemon: Daemon) -> Result:
    commands = [_command(to) for to, _ in zip(cycle(_ADDRESSES), range(case.messages))]
    database = daemon.data / "groupx-local.db"
    first, *later = case.orders
    _start(daemon, first)
    with ThreadPoolExecutor(POSTERS) as pool:
        list(pool.map(lambda command: _post(daemon, command), commands))
    _await_death(daemon, first)
    at_death = dump(database)
    for order in later:
        daemon.launch(**{KILL_VARIABLE: order})
        _await_death(daemon, order)
    _start(daemon)
    for command in commands:
        command.again = daemon.post("/api/messages", _request(command))
    _settle(daemon, commands)
    _stop(daemon)
    at_end = database.with_name("at-end.db")
    _keep(database, at_end)
    _start(daemon)
    _stop(daemon)
    evidence = Evidence(
        commands=tuple(commands),
        seen={
            actor: seen_in(log_of(daemon.folder, name), case.driver)
            for actor, name in zip(ACTORS, NAMES, strict=True)
        },
        at_death=at_death,
        at_end=at_end,
        after_restart=dump(database),
    )
    return Result(case=case, problems=tuple(problems(evidence)), evidence=evidence)


_ADDRESSES = (ACTORS, ACTORS[:1], ACTORS[1:])


def _command(to: Iterable[str]) -> Command:
    return Command(
        command_id=secrets.token_hex(8), to=tuple(to), marker=f"job-{secrets.token_hex(6)}"
    )


def _request(command: Command) -> dict[str, object]:
    return {
        "clientCommandId": command.command_id,
        "to": list(command.to),
        "content": command.content,
    }


def _post(daemon: Daemon, command: Command) -> None:
    """Without an answer, nobody knows whether it was accepted."""
    try:
        command.answer = daemon.post("/api/messages", _request(command))
    except (OSError, http.client.HTTPException):
        command.answer = None


def _start(daemon: Daemon, order: str | None = None) -> None:
    daemon.launch(**({} if order is None else {KILL_VARIABLE: order}))
    daemon.wait_ready(PATIENCE_SECONDS)


def _await_death(daemon: Daemon, order: str) -> None:
    code = daemon.wait(PATIENCE_SECONDS)
    assert code == -signal.SIGKILL, f"it was to die at {order}, and ended with {code}"
    daemon.assert_no_processes()


def _settle(daemon: Daemon, commands: list[Command]) -> None:
    with daemon.stream() as events:
        for command in commands:
            for turn in (command.again or {})["turns"]:
                events.until(
                    of_turn(turn["turnId"], *TERMINAL), f"the end of {command}", PATIENCE_SECONDS
                )


def _stop(daemon: Daemon) -> None:
    """Once nothing more is to come."""
    daemon.wait_idle(PATIENCE_SECONDS)
    code = daemon.terminate(PATIENCE_SECONDS)
    assert code == 0, f"it stopped with {code}: {daemon.said()}"
    daemon.assert_no_processes()


def _keep(database: Path, copy: Path) -> None:
    copy.write_bytes(database.read_bytes())
    assert not database.with_name(f"{database.name}-wal").exists()
