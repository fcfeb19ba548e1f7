"""`groupx start`: the daemon in the background."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import click

from groupx.cli.demo import ensure_demo
from groupx.cli.failures import DONE, Refused
from groupx.cli.notices import show_notices
from groupx.cli.open import offer_login
from groupx.cli.place import Place, config_options, find_place
from groupx.cli.progress import upgrading
from groupx.cli.running import Running, Silent, find_running, wait_until, written_pid

START_SECONDS = 60.0
UPGRADE_SECONDS = 3600.0
_SHOWN_BYTES = 4096
_TOLD = ("ready", "upgrading", "setup")
"""What a daemon's health may say before the wait for it is over. One that fails as it starts says
`closing` for a moment: what it ends with is still to come."""


@click.command("start")
@config_options
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--no-backup", is_flag=True, help="Upgrade an older database without a copy of it.")
def command(*, config: str | None, demo: bool, no_open: bool, no_backup: bool) -> int:
    """Run the room in the background; returns when it is ready. Without a config, its setup.

    Its log is groupx.log in the data directory (see `groupx debug paths`).
    """
    place = find_place(config=config, demo=demo)
    if demo:
        ensure_demo(place, reset=False)
    running = find_running(place)
    if running is not None and running.health.get("status") == "closing":
        raise Refused("the room is just stopping, so nothing was started; try again in a moment.")
    if running is not None:
        click.echo(f"The room already runs on {running.url}")
        return DONE
    running = launch(place, *(["--no-backup"] if no_backup else []))
    if running.health.get("status") == "setup":
        click.echo(f"There is no config yet: choose your agents on {running.url}")
    else:
        show_notices(place.load()[0])
        click.echo(f"The room runs on {running.url}")
    offer_login(place, running, show=not no_open)
    return DONE


def launch(place: Place, *options: str) -> Running:
    """Start a detached `groupx run` with these `options`, and wait until it is ready.

    Refused with its last words.
    """
    if not place.needs_setup:
        place.load()
    log = Path(place.paths().log)
    log.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        said_before = os.fstat(descriptor).st_size
        daemon = subprocess.Popen(
            [sys.executable, "-m", "groupx", "run", *place.argv, *options, "--log-file", str(log)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=descriptor,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)

    def settled() -> Running | str | None:
        running: Running | None = None
        if daemon.poll() is not None:
            return f"the room did not start (exit {daemon.returncode}):\n{_since(log, said_before)}"
        with contextlib.suppress(Silent):  # it has much to do as it starts
            running = find_running(place)
        if running is None or running.health.get("status") not in _TOLD:
            return None
        return running if written_pid(place.paths()) == daemon.pid else None

    found = wait_until(settled, START_SECONDS)
    if isinstance(found, Running) and found.health.get("status") == "upgrading":
        found = _wait_upgraded(settled)
    if found is None:
        raise Refused(
            f"the room has not become ready within {START_SECONDS:.0f} s and is still starting "
            f"(process {daemon.pid}). Its log: {log}. See `groupx status`; stop it with "
            "`groupx stop`."
        )
    if isinstance(found, str):
        raise Refused(found)
    return found


def _wait_upgraded(settled: Callable[[], Running | str | None]) -> Running | str | None:
    """What `settled` says once the database is upgraded; meanwhile, how far that is."""
    line = upgrading()

    def upgraded() -> Running | str | None:
        answer = settled()
        if not isinstance(answer, Running) or answer.health.get("status") != "upgrading":
            return answer
        progress = cast("dict[str, int]", answer.health.get("progress") or {})
        line.show(progress.get("done", 0), progress.get("total", 1))
        return None

    found = wait_until(upgraded, UPGRADE_SECONDS)
    line.end()
    return found


def _since(log: Path, offset: int) -> str:
    with log.open("rb") as file:
        file.seek(max(offset, log.stat().st_size - _SHOWN_BYTES))
        return file.read(_SHOWN_BYTES).decode("utf-8", "replace").strip() or f"see {log}"
