"""`groupx backup`: the whole database as one file, whether the room runs or not."""

import contextlib
import errno
import os
import uuid
from pathlib import Path

import attrs
import click

from groupx.cli.client import NobodyListens, NotARuntime
from groupx.cli.failures import DONE, Refused
from groupx.cli.offline import leased, now_ms, running_or_none, silent_meter
from groupx.cli.place import Place, config_options, find_place, refuse_misplaced
from groupx.cli.running import Running, client_of
from groupx.store.exchange.backup import Backup, default_target, make_backup
from groupx.store.exchange.files import refuse_existing
from groupx.store.probe import leaving_no_sidecars

BACKUP_SECONDS = 3600.0


@click.command("backup")
@config_options
@click.argument("path", required=False, metavar="[PATH]")
def command(config: str | None, demo: bool, path: str | None) -> int:
    """Copy everything the database holds into the new file PATH, and read it back.

    Without PATH it goes into the folder `backups` of the data directory. The room may run
    meanwhile. Nothing is ever written over.
    """
    place = find_place(config=config, demo=demo)
    target = None if path is None else Path(os.path.abspath(path))
    if target is not None:
        refuse_misplaced(target, place)
        refuse_existing(target)
    running = running_or_none(place)
    made = _online(place, running, target) if running else _offline(place, target)
    click.echo(
        f"Backed up to {made.path} ({made.bytes} bytes; read back and whole).\n"
        f"To go back to it, stop the room, then: groupx restore {made.path}"
    )
    return DONE


def _offline(place: Place, target: Path | None) -> Backup:
    with leased(place) as offline:
        if target is None:
            target = default_target(offline.backups, offline.database, now_ms())
        with leaving_no_sidecars(offline.database):
            return make_backup(offline.database, target, silent_meter())


def _online(place: Place, running: Running, target: Path | None) -> Backup:
    client = attrs.evolve(client_of(place, running), timeout_seconds=BACKUP_SECONDS)
    try:
        answer = client.post("/api/backup", {"clientCommandId": uuid.uuid4().hex})
    except (NobodyListens, NotARuntime):
        raise Refused(
            f"the room on port {running.port} did not answer, so whether the backup was made is "
            f"not known. Look into {place.paths().backups}, then try again."
        ) from None
    path = answer.body.get("path")
    if answer.status != 200 or not isinstance(path, str):
        raise Refused(f"no backup was made: {answer.error_message}")
    made = Backup(path=Path(path), bytes=Path(path).stat().st_size)
    return made if target is None else _moved(made, target)


def _moved(made: Backup, target: Path) -> Backup:
    """To where it was wanted; to another file system as another verified copy."""
    try:
        os.link(made.path, target)
    except OSError as error:
        if error.errno not in {errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.ENOSYS}:
            raise Refused(
                f"the backup was made, but it cannot be put at {target} ({error.strerror}). "
                f"It is at {made.path}."
            ) from None
        make_backup(made.path, target, silent_meter())
    with contextlib.suppress(OSError):
        made.path.unlink()
    return Backup(path=target, bytes=made.bytes)
