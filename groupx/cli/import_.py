"""`groupx import`: a new database out of an export. No room is touched."""

import os
from pathlib import Path

import click

from groupx.cli.failures import DONE
from groupx.cli.offline import now_ms
from groupx.cli.place import find_place, refuse_misplaced
from groupx.cli.restore import tell_held
from groupx.domain.paths import misplaced_new_database
from groupx.domain.times import iso_from_ms
from groupx.store.exchange.importing import import_file


@click.command("import")
@click.argument("file")
@click.option("--into", required=True, metavar="NEW.db", help="The database to make.")
def command(file: str, into: str) -> int:
    """Make the new database NEW.db out of FILE, which `groupx export` wrote as jsonl.

    Every line is checked first. A database that is there is never changed: if it is just what
    FILE holds, all is well; if not, this is refused.
    """
    target = Path(os.path.abspath(into))
    refuse_misplaced(target, find_place(config=None, demo=False), misplaced_new_database)
    done = import_file(Path(os.path.abspath(file)), target, now_iso=iso_from_ms(now_ms()))
    if not done.fresh:
        click.echo(f"{target} holds just this already; nothing was changed.")
        return DONE
    click.echo(f"Imported {done.events} events into {target}.")
    tell_held(done.held)
    click.echo(f"To open it: GROUPX_DB={target} groupx run")
    return DONE
