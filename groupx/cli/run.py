"""`groupx run`: the daemon in the foreground."""

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from groupx import __version__
from groupx.cli.browser import Opener, has_display, write_open_page
from groupx.cli.demo import ensure_demo
from groupx.cli.failures import DONE, FATAL, Refused
from groupx.cli.notices import show_notices
from groupx.cli.place import Place, config_options, find_place
from groupx.cli.progress import ProgressLine, upgrading
from groupx.cli.running import Silent, find_running, is_silent, occupant
from groupx.domain.config import Config
from groupx.domain.paths import Paths
from groupx.domain.runtime_keys import runtime_scope_key
from groupx.process.environment import RUN_VARIABLE
from groupx.process.killing import KILL_VARIABLE, arm, read_order
from groupx.supervisor.early_signals import hold_signals_for_exec

if TYPE_CHECKING:
    from groupx.runtime import Plan


@click.command("run")
@config_options
@click.option("--reset", is_flag=True, help="With --demo: begin with an empty demo room.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="Instead of the config's port; 0 = any free one."
)
@click.option("--no-backup", is_flag=True, help="Upgrade an older database without a copy of it.")
@click.option("--log-file", type=click.Path(path_type=Path), hidden=True)
def command(
    *,
    config: str | None,
    demo: bool,
    reset: bool,
    no_open: bool,
    port: int | None,
    no_backup: bool,
    log_file: Path | None,
) -> int:
    """Run the room in the foreground until Ctrl-C.

    A second Ctrl-C stops it sooner. Exit codes: 0 stopped as asked; 1 refused to start, nothing
    was touched; 70 a part that the room cannot live without failed (start it again: what is
    queued survives).
    """
    from groupx.runtime import Plan

    _shed_mark()
    _obey_kill_order()
    if reset and not demo:
        raise Refused("--reset empties the demo room: it needs --demo.")
    place = find_place(config=config, demo=demo)
    if demo:
        ensure_demo(place, reset=reset)
    settings, paths = place.load()
    if port is not None:
        settings = attrs.evolve(settings, server=attrs.evolve(settings.server, port=port))
    at_terminal = log_file is None and sys.stdout.isatty()
    opener = Opener() if at_terminal and not no_open and has_display() else None
    announcer = _Announcer(settings, paths, at_terminal, opener)
    plan = Plan(
        config=settings,
        paths=paths,
        log_file=log_file,
        on_ready=announcer.ready,
        keep_copy=not no_backup,
        on_upgrade=announcer.upgrading,
    )
    return _run(place, plan)


def _run(place: Place, plan: "Plan") -> int:
    from groupx.process.spawner import SpawnError
    from groupx.runtime import RuntimeFailed, run_runtime
    from groupx.supervisor.lease import LeaseImpossible, LeaseTaken
    from groupx.supervisor.listener import PortTaken, PortUnusable

    try:
        run_runtime(plan)
    except RuntimeFailed as error:
        click.echo(f"groupx: {error}", err=True)
        return FATAL
    except PortTaken:
        raise Refused(_who_holds(place, plan.config.server.port)) from None
    except LeaseTaken as error:
        running = find_running(place)
        if running is not None:
            raise Refused(_already(running.port)) from None
        raise Refused(str(error)) from None
    except (LeaseImpossible, PortUnusable, SpawnError) as error:
        raise Refused(str(error)) from None
    return DONE


def _shed_mark() -> None:
    """Begin again without the mark by which another room ends what its agents leave behind.

    It is read from the environment that a process was started with, so unsetting it is not enough.
    """
    if RUN_VARIABLE in os.environ:
        hold_signals_for_exec()
        own = {name: value for name, value in os.environ.items() if name != RUN_VARIABLE}
        os.execve(sys.executable, sys.orig_argv, own)  # noqa: S606


def _obey_kill_order() -> None:
    """For tests of crashes. Nobody is surprised by it: it is said, and an unknown one refused."""
    text = os.environ.get(KILL_VARIABLE)
    if text is None:
        return
    try:
        order = read_order(text)
    except ValueError as error:
        raise Refused(f"{KILL_VARIABLE} says where a test kills this run, but {error}.") from None
    arm(order)
    click.echo(f"groupx: {KILL_VARIABLE} is set: this run kills itself at {text}.", err=True)


def _already(port: int) -> str:
    return (
        f"this config's room already runs on http://127.0.0.1:{port}/, so no second one was "
        "started. Open it with `groupx open`, or stop it with `groupx stop`."
    )


def _who_holds(place: Place, port: int) -> str:
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


@attrs.define
class _Announcer:
    """Says where the room is, once it is ready. A login code is shown at a terminal only."""

    _config: Config
    _paths: Paths
    _at_terminal: bool
    _opener: Opener | None
    _progress: ProgressLine = attrs.field(factory=upgrading, init=False)

    def upgrading(self, done: int, total: int) -> None:
        """The database is being upgraded; this far."""
        self._progress.show(done, total)

    def ready(self, port: int, login_url: str) -> None:
        """The room is ready on `port`; `login_url` works once. Nobody has to be listening."""
        self._progress.end()
        with contextlib.suppress(OSError):
            self._say(port, login_url)

    def _say(self, port: int, login_url: str) -> None:
        url = f"http://127.0.0.1:{port}/"
        show_notices(self._config)
        if not self._at_terminal:
            click.echo(f"GroupX is ready on {url}")
            return
        names = ", ".join(agent.name for agent in self._config.enabled_agents())
        click.echo(
            f"GroupX {__version__} · {names}\n"
            f"  config     {self._config.path}\n"
            f"  listens on {url}\n"
            f"  log in at  {login_url}\n"
            "             (works once, for a minute; later: groupx open)\n"
            "  Ctrl-C stops it; what is queued survives."
        )
        if self._opener is not None:
            page = Path(self._paths.open_page)
            write_open_page(page, login_url)
            self._opener.open(page)
