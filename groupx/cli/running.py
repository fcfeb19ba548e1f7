"""Finding the runtime of a config, and proving that it is gone."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import attrs

from groupx.cli.client import NobodyListens, NotARuntime, RuntimeClient, read_bearer
from groupx.cli.failures import Refused
from groupx.cli.place import Place
from groupx.domain.errors import GroupXError
from groupx.domain.paths import Paths
from groupx.domain.runtime_keys import runtime_scope_key
from groupx.supervisor.lease import LeaseImpossible, is_free

T = TypeVar("T")

STOP_SECONDS = 60.0
_UNREACHABLE_TIMES = 3


@attrs.frozen(kw_only=True)
class Running:
    """A runtime of the asked config, as its health says."""

    port: int
    health: dict[str, Any]

    @property
    def url(self) -> str:
        """Where the browser finds it."""
        return f"http://127.0.0.1:{self.port}/"


Occupant = Literal["free", "foreign", "other", "same"]
"""Who holds a port: nobody, not GroupX, another config's runtime, this config's."""


def occupant(port: int, scope_key: str) -> tuple[Occupant, dict[str, Any]]:
    """Who answers on `port`, and the health it gave."""
    try:
        health = RuntimeClient(port=port).health().body
    except NobodyListens:
        return "free", {}
    except NotARuntime:
        return "foreign", {}
    return ("same" if health.get("runtimeScopeKey") == scope_key else "other"), health


class Silent(Refused):
    """This config's room runs, and does not answer."""

    def __init__(self, place: Place, port: int) -> None:
        super().__init__(
            f"the room of {place.config_path} runs but does not answer on port {port}, so nothing "
            "was done. It may have too much to do: try again in a moment. If it stays so, end its "
            f"process, which `lsof {place.paths().lock}` names, with SIGTERM; what is queued "
            "survives."
        )
        self.port = port


def find_running(place: Place) -> Running | None:
    """The runtime of this config, on the port that it wrote down. Raises Silent.

    Only while it holds the lock of its data directory: then nobody else can have the port. A
    stranger who answers in its stead would be given the token.
    """
    port = written_port(place.paths())
    if port is None or not locked(place):
        return None
    holder, health = occupant(port, runtime_scope_key(str(place.config_path)))
    if holder == "foreign" and is_silent(place, port):
        raise Silent(place, port)
    return Running(port=port, health=health) if holder == "same" else None


def is_silent(place: Place, port: int) -> bool:
    """Whether it is this config's room that holds a `port` on which nobody answers sensibly."""
    return written_port(place.paths()) == port and locked(place)


def client_of(place: Place, running: Running) -> RuntimeClient:
    """A client that holds this data directory's token."""
    return RuntimeClient(port=running.port, token=read_bearer(Path(place.paths().token)))


def written_port(paths: Paths) -> int | None:
    """The port in `<data>/run/runtime.json`."""
    port = _written(paths).get("port")
    return port if isinstance(port, int) and 0 < port < 65_536 else None


def written_pid(paths: Paths) -> int | None:
    """The process id of the daemon that wrote `<data>/run/runtime.json`."""
    pid = _written(paths).get("pid")
    return pid if isinstance(pid, int) else None


def _written(paths: Paths) -> dict[str, Any]:
    try:
        facts = json.loads(Path(paths.runtime_file).read_bytes())
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", facts) if isinstance(facts, dict) else {}


def request_stop(place: Place, running: Running) -> None:
    """Ask it to stop, and wait until it is proven gone."""
    answer = client_of(place, running).post(
        "/api/runtime/shutdown",
        {"runtimeScopeKey": runtime_scope_key(str(place.config_path))},
    )
    if answer.status not in {202, 503}:
        raise Refused(f"the room on port {running.port} was not stopped: {answer.error_message}")
    if wait_until(lambda: _gone(place, running.port), STOP_SECONDS) is None:
        raise Refused(
            f"the room on port {running.port} was asked to stop and is still there after "
            f"{STOP_SECONDS:.0f} s. Its agents may be closing; look with `groupx status`, "
            "then stop again."
        )


def _gone(place: Place, port: int) -> bool:
    """Unreachable three times, and its locks can be had."""
    for _ in range(_UNREACHABLE_TIMES):
        try:
            RuntimeClient(port=port, timeout_seconds=1).get("/api/health")
        except NobodyListens:
            time.sleep(0.02)
            continue
        except NotARuntime:
            return False
        return False
    return _is_free(_database(place), place)


def locked(place: Place) -> bool:
    """Whether a runtime holds the lock of this config's data directory; makes no file."""
    return not _is_free(None, place)


def _is_free(database: Path | None, place: Place) -> bool:
    try:
        return is_free(database, place.data)
    except LeaseImpossible as error:
        raise Refused(str(error)) from None


def _database(place: Place) -> Path | None:
    try:
        database = place.load()[1].database
    except (Refused, GroupXError):
        database = place.paths().database
    return None if database is None else Path(database)


def wait_until(ask: Callable[[], T | None], seconds: float) -> T | None:
    """The first true answer within `seconds`, asked ever less often; else None."""
    deadline = time.monotonic() + seconds
    pause = 0.02
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() >= deadline:
            return None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.25)
