"""What `groupx run` says of itself. A login code is shown at a terminal only."""

import contextlib
from pathlib import Path

import attrs
import click

from groupx import __version__
from groupx.cli.browser import Opener, write_open_page
from groupx.cli.notices import show_notices
from groupx.cli.progress import ProgressLine, upgrading
from groupx.domain.config import Config
from groupx.domain.paths import Paths


@attrs.define
class Announcer:
    """Says where the room or its setup is, once. Nobody has to be listening."""

    _at_terminal: bool
    _opener: Opener | None
    _progress: ProgressLine = attrs.field(factory=upgrading, init=False)

    def upgrading(self, done: int, total: int) -> None:
        """The database is being upgraded; this far."""
        self._progress.show(done, total)

    def setting_up(self, paths: Paths, port: int, login_url: str) -> None:
        """There is no config yet, and `login_url` leads to where one is made."""
        with contextlib.suppress(OSError):
            if not self._at_terminal:
                click.echo(f"GroupX can be set up on http://127.0.0.1:{port}/")
                return
            click.echo(
                f"GroupX {__version__} · first start: choose your agents in the browser\n"
                f"  {_where(paths.config, port, login_url)}\n"
                "  Ctrl-C stops it; nothing is written before you save.\n"
                "  To look around first: groupx run --demo"
            )
            self._show(paths, login_url)

    def ready(self, config: Config, paths: Paths, port: int, login_url: str) -> None:
        """The room is ready on `port`; `login_url` works once."""
        self._progress.end()
        with contextlib.suppress(OSError):
            show_notices(config)
            if not self._at_terminal:
                click.echo(f"GroupX is ready on http://127.0.0.1:{port}/")
                return
            names = ", ".join(agent.name for agent in config.enabled_agents())
            click.echo(
                f"GroupX {__version__} · {names}\n"
                f"  {_where(config.path, port, login_url)}\n"
                "  Ctrl-C stops it; what is queued survives."
            )
            self._show(paths, login_url)

    def _show(self, paths: Paths, login_url: str) -> None:
        """In the browser, the first time only: later its tab is open."""
        if self._opener is not None:
            page = Path(paths.open_page)
            write_open_page(page, login_url)
            self._opener.open(page)
            self._opener = None


def _where(config: str, port: int, login_url: str) -> str:
    return (
        f"config     {config}\n"
        f"  listens on http://127.0.0.1:{port}/\n"
        f"  log in at  {login_url}\n"
        "             (works once, for a minute; later: groupx open)"
    )
