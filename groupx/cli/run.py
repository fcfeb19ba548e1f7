"""`groupx run`: the daemon in the foreground."""

import gc
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from groupx.cli.announcing import Announcer
from groupx.cli.browser import Opener, has_display
from groupx.cli.failures import DONE, FATAL, Refused
from groupx.cli.place import Place, config_options, find_place
from groupx.domain.config import Config
from groupx.domain.config_draft import DEFAULT_PORT
from groupx.process.environment import RUN_VARIABLE
from groupx.process.killing import KILL_VARIABLE, arm, read_order
from groupx.supervisor.early_signals import hold_signals_for_exec

if TYPE_CHECKING:
    from groupx.runtime_plan import Plan
    from groupx.runtime_setup import SetupPlan


@click.command("run")
@config_options
@click.option("--reset", is_flag=True, help="With --demo: begin with an empty demo room.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="Instead of the config's port; 0 = any free one."
)
@click.option("--kept-port", type=click.IntRange(1, 65_535), hidden=True)
@click.option("--no-backup", is_flag=True, help="Upgrade an older database without a copy of it.")
@click.option("--log-file", type=click.Path(path_type=Path), hidden=True)
def command(
    *,
    config: str | None,
    demo: bool,
    reset: bool,
    no_open: bool,
    port: int | None,
    kept_port: int | None,
    no_backup: bool,
    log_file: Path | None,
) -> int:
    """Run the room in the foreground until Ctrl-C. Without a config, set it up in the browser.

    A second Ctrl-C stops it sooner. Exit codes: 0 stopped as asked; 1 refused to start, nothing
    was touched; 70 a part that the room cannot live without failed (start it again: what is
    queued survives).
    """
    _shed_mark()
    _obey_kill_order()
    if reset and not demo:
        raise Refused("--reset empties the demo room: it needs --demo.")
    place = find_place(config=config, demo=demo)
    if demo:
        from groupx.cli.demo import ensure_demo

        ensure_demo(place, reset=reset)
    at_terminal = log_file is None and sys.stdout.isatty()
    opener = Opener() if at_terminal and not no_open and has_display() else None
    order = _Order(
        place=place,
        port=port,
        kept_port=kept_port,
        keep_copy=not no_backup,
        log_file=log_file,
        announcer=Announcer(at_terminal, opener),
    )
    again = _run(order)
    if again is not None:
        _begin_again(order, again)
    return DONE


@attrs.frozen(kw_only=True)
class _Order:
    """What was asked for on the command line."""

    place: Place
    port: int | None
    kept_port: int | None
    keep_copy: bool
    log_file: Path | None
    announcer: Announcer

    def plan(self, config: Config) -> "Plan":
        """The room of `config`."""
        from groupx.runtime_plan import Plan

        paths = self.place.paths(config.storage_path)
        return Plan(
            config=config,
            paths=paths,
            port=self.port,
            kept_port=self.kept_port,
            log_file=self.log_file,
            on_ready=partial(self.announcer.ready, config, paths),
            keep_copy=self.keep_copy,
            on_upgrade=self.announcer.upgrading,
        )

    def setup_plan(self) -> "SetupPlan":
        """The wizard that makes the config."""
        from groupx.runtime_setup import SetupPlan

        paths = self.place.paths()
        return SetupPlan(
            config_path=self.place.config_path,
            paths=paths,
            port=DEFAULT_PORT if self.port is None else self.port,
            log_file=self.log_file,
            on_open=partial(self.announcer.setting_up, paths),
            plan_for=self.plan,
        )


def _run(order: _Order) -> int | None:
    """The port to begin again on; None when it was to end. Raises Refused, and Exit when fatal."""
    from groupx.process.spawner import SpawnError
    from groupx.runtime import run_runtime
    from groupx.runtime_plan import RuntimeFailed
    from groupx.runtime_setup import run_setup
    from groupx.supervisor.lease import LeaseImpossible, LeaseTaken
    from groupx.supervisor.listener import PortTaken, PortUnusable

    gc.freeze()  # what was imported stays: it is never searched again
    gc.enable()
    try:
        if order.place.needs_setup:
            return run_setup(order.setup_plan())
        return run_runtime(order.plan(order.place.load()[0]))
    except RuntimeFailed as error:
        click.echo(f"groupx: {error}", err=True)
        raise click.exceptions.Exit(FATAL) from None
    except PortTaken as taken:
        from groupx.cli.occupied import who_holds

        raise Refused(who_holds(order.place, taken.port)) from None
    except LeaseTaken as error:
        from groupx.cli.occupied import who_runs

        raise Refused(who_runs(order.place) or str(error)) from None
    except (LeaseImpossible, PortUnusable, SpawnError) as error:
        raise Refused(str(error)) from None


def _begin_again(order: _Order, port: int) -> None:
    """The same run anew in this process, on the port that the browser knows."""
    argv = [sys.executable, "-m", "groupx", "run", *order.place.argv, "--no-open"]
    argv += ["--kept-port" if order.port is None else "--port", str(port)]
    argv += [] if order.keep_copy else ["--no-backup"]
    argv += [] if order.log_file is None else ["--log-file", str(order.log_file)]
    hold_signals_for_exec()
    os.execv(sys.executable, argv)  # noqa: S606


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
