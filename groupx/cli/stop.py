"""`groupx stop`: an orderly end of this config's daemon."""

import click

from groupx.cli.failures import DONE, Refused
from groupx.cli.place import Place, config_options, find_place
from groupx.cli.running import find_running, locked, request_stop


@click.command("stop")
@config_options
def command(config: str | None, demo: bool) -> int:
    """Stop this config's room, and no other; returns when it is gone.

    What is queued survives. A turn that runs is cancelled, or shown as interrupted.
    """
    if stop(find_place(config=config, demo=demo)):
        click.echo("The room is stopped.")
    else:
        click.echo("No room of this config runs.")
    return DONE


def stop(place: Place) -> bool:
    """Whether one ran. Refused when it could not be stopped."""
    running = find_running(place)
    if running is not None:
        request_stop(place, running)
        return True
    if locked(place):
        raise Refused(
            f"a process holds the lock of {place.data} but answers nowhere, so it was left alone. "
            "If a room of this config is just starting or stopping, try again in a moment."
        )
    return False
