"""`groupx restore`: a backup takes the place of the database of a room that does not run."""

import os
from pathlib import Path

import click

from groupx.cli.failures import DONE, Refused
from groupx.cli.offline import leased, new_database_id, now_ms, running_or_none, silent_meter
from groupx.cli.place import config_options, find_place
from groupx.store.exchange.held_lanes import Held
from groupx.store.exchange.restore import restore


@click.command("restore")
@config_options
@click.argument("backup")
def command(config: str | None, demo: bool, backup: str) -> int:
    """Put the file BACKUP in the place of this config's database; the old one is kept beside it.

    The room must not run. BACKUP is verified first and is not changed.
    """
    place = find_place(config=config, demo=demo)
    if running_or_none(place):
        raise Refused(
            "the room runs, so nothing was restored. Stop it with `groupx stop`, then restore."
        )
    with leased(place, must_exist=False) as offline:
        done = restore(
            Path(os.path.abspath(backup)),
            offline.database,
            now_ms=now_ms(),
            new_database_id=new_database_id(),
            meter=silent_meter(),
        )
    click.echo(f"Restored {backup} as {done.database}.")
    if done.kept is not None:
        click.echo(f"The database from before is kept as {done.kept}.")
    tell_held(done.held)
    click.echo("Start the room with `groupx run`.")
    return DONE


def tell_held(held: Held) -> None:
    """Say what waits, and for what."""
    if held.turns:
        click.echo(
            f"Unfinished turns in it: {held.turns}. They may have been sent since, so the queues "
            f"of {', '.join(held.agents)} are paused: look at them, then resume or cancel."
        )
