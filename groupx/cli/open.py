"""`groupx open`: a logged-in browser on the running room."""

import sys
from pathlib import Path

import click

from groupx.cli.browser import Opener, has_display, write_open_page
from groupx.cli.failures import DONE, Refused
from groupx.cli.place import Place, config_options, find_place
from groupx.cli.running import Running, client_of, find_running


@click.command("open")
@config_options
def command(config: str | None, demo: bool) -> int:
    """Open the room in the browser, logged in; the link is also printed and works once."""
    place = find_place(config=config, demo=demo)
    running = find_running(place)
    if running is None:
        raise Refused(
            f"no room of {place.config_path} runs, so there is nothing to open. "
            "Start it with `groupx run` or `groupx start`."
        )
    offer_login(place, running, show=True)
    return DONE


def offer_login(place: Place, running: Running, *, show: bool) -> None:
    """Print a login link that works once; with `show` and a display, open it too."""
    answer = client_of(place, running).post("/api/login-codes")
    code = answer.body.get("code")
    if not isinstance(code, str):
        raise Refused(f"the room on port {running.port} gave no login: {answer.error_message}")
    url = f"{running.url}login?code={code}"
    click.echo(f"Log in (once, within a minute): {url}")
    if show and has_display() and sys.stdout.isatty():
        opener = Opener()
        page = Path(place.paths().open_page)
        write_open_page(page, url)
        opener.open(page)
