"""The data directory: private whatever the umask, with a part that lives only while we do."""

import json
import os
from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.paths import Paths
from groupx.web.token import Token


def make_private_folders(paths: Paths) -> None:
    """The data directory, the user's own and closed to others (0700), and the database's folder.

    Raises STORE_UNAVAILABLE.
    """
    folder = Path(paths.data)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        if paths.database is not None:
            Path(paths.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise GroupXError(
            ErrorCode.STORE_UNAVAILABLE,
            f"The folder {error.filename or folder} cannot be made private ({error.strerror}), "
            "and GroupX keeps its secrets and the room there; nothing was started. "
            "Put the config into a folder of your own.",
        ) from None


def open_token(path: Path) -> Token:
    """The data directory's token, made if there is none. Raises UNAUTHORIZED."""
    try:
        return Token(path)
    except (OSError, ValueError) as error:
        raise GroupXError(
            ErrorCode.UNAUTHORIZED, f"Nobody could log in, so nothing was started: {error}"
        ) from None


def write_runtime_file(paths: Paths, *, port: int, scope_key: str) -> None:
    """Say where this runtime listens, for the CLI."""
    path = Path(paths.runtime_file)
    staged = path.with_name(f".{path.name}.part")
    staged.unlink(missing_ok=True)
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        json.dump({"port": port, "runtimeScopeKey": scope_key, "pid": os.getpid()}, file)
    staged.replace(path)


def sibling_databases(paths: Paths) -> list[Path]:
    """Other databases of GroupX in the data directory and beside the one in use."""
    own = None if paths.database is None else Path(paths.database)
    folders = {Path(paths.data)} | ({own.parent} if own else set[Path]())
    return sorted({file for folder in folders for file in folder.glob("groupx*.db")} - {own})
