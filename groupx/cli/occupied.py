"""Why a room cannot be started: who has its port, or runs it already."""

from groupx.cli.place import Place
from groupx.cli.running import Silent, find_running, is_silent, occupant
from groupx.domain.runtime_keys import runtime_scope_key


def who_runs(place: Place) -> str | None:
    """That this config's room runs already; None when it is not found."""
    running = find_running(place)
    return None if running is None else _already(running.port)


def who_holds(place: Place, port: int) -> str:
    """Who listens on `port`, and what to do."""
    holder, _ = occupant(port, runtime_scope_key(str(place.config_path)))
    if holder == "same":
        return _already(port)
    if holder == "other":
        return (
            f"the room of another config listens on port {port}; it was left alone and nothing "
            "was started. Stop it, or give this config another server.port (or run with --port)."
        )
    if holder == "foreign" and is_silent(place, port):
        return Silent(place, port).message
    return (
        f"port {port} is taken by a program that is not GroupX; it was left alone and nothing was "
        "started. Stop that program, or give this config another server.port (or run with --port)."
    )


def _already(port: int) -> str:
    return (
        f"this config's room already runs on http://127.0.0.1:{port}/, so no second one was "
        "started. Open it with `groupx open`, or stop it with `groupx stop`."
    )
