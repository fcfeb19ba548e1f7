"""`groupx restart`: stop, proven gone, then start."""

import click

from groupx.cli.failures import DONE
from groupx.cli.place import config_options, find_place
from groupx.cli.start import launch
from groupx.cli.stop import stop


@click.command("restart")
@config_options
def command(config: str | None, demo: bool) -> int:
    """Stop this config's room and start it in the background, once the old one is gone.

    Open tabs stay logged in and go on.
    """
    place = find_place(config=config, demo=demo)
    place.load()
    stopped = stop(place)
    running = launch(place)
    click.echo(f"The room {'was restarted' if stopped else 'runs'} on {running.url}")
    return DONE
