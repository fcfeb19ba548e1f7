"""Whether a room can be started from a config, asked while it can still be said on the page.

Everything that a start refuses for its database: once a saved config was taken over, or a room was
stopped for it, nobody would be left to say so on the page.
"""

import os
from pathlib import Path

from groupx._channel import CHANNEL
from groupx.domain.config import Config
from groupx.domain.config_error import ConfigError
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.paths import Paths, misplaced_database, resolve_paths
from groupx.store.probe import probe, refuse_unwritable
from groupx.supervisor.lease import LeaseImpossible, LeaseTaken, refuse_taken

BUSY_SECONDS = 1.0
"""For a program that just has it open; whoever asks is looking at a page."""


def paths_of(config: Config) -> Paths:
    """Every place of the room of `config`."""
    return resolve_paths(
        env=os.environ,
        config_path=config.path,
        storage_path=config.storage_path,
        channel=CHANNEL,
    )


def refuse_misplaced(config: Config) -> None:
    """ConfigError when the database would lie where it is lost, or spoils something."""
    if misplaced := misplaced_database(paths_of(config), os.path.realpath):
        raise _refused(config, misplaced, "a place of its own")


def refuse_unstartable(config: Config, *, running: Config | None) -> None:
    """ConfigError or STORE_UNAVAILABLE for a database with which no room can be started now.

    That of `running` is open, and was not refused. Reads files; creates and changes none.
    """
    refuse_misplaced(config)
    database = _database(config)
    if database is None or (running is not None and database == _database(running)):
        return
    try:
        refuse_taken(database)
    except LeaseTaken:
        raise _refused(
            config,
            f"{database}, which another running room has",
            "a database of its own, or this one once that room is stopped",
        ) from None
    except LeaseImpossible as error:
        raise GroupXError(ErrorCode.STORE_UNAVAILABLE, str(error)) from None
    _refuse_folder(config, database.parent)
    try:
        refuse_unwritable(database)
        probe(database, busy_seconds=BUSY_SECONDS)
    except GroupXError as error:
        why = error.details.get("cause") or error.details.get("observed") or error.message
        raise _refused(config, f"{database}, and there {why}", "a database of GroupX's") from None


def _database(config: Config) -> Path | None:
    found = paths_of(config).database
    return None if found is None else Path(os.path.realpath(found))


def _refuse_folder(config: Config, folder: Path) -> None:
    """Of folders that are not there, the first that is has to take them."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise _refused(
            config, f"a folder in which nothing can be written ({there})", "one of yours"
        )


def _refused(config: Config, found: str, allowed: str) -> ConfigError:
    return ConfigError(config.path, "storage.path", found=found, allowed=allowed)
