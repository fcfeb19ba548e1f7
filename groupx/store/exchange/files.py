"""New private files that are whole or not there at all, and never in the place of another."""

import contextlib
import errno
import os
import secrets
from collections.abc import Generator
from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError

SIDECARS = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database; left over from another one they would damage it."""
STAGED = ".{}.{}.part"


@contextlib.contextmanager
def new_file(target: Path) -> Generator[Path]:
    """A free name beside `target`; what the block makes of it becomes `target` if it ends well.

    If it does not, nothing is left. STORE_CONFLICT when something has that name, or when it
    cannot be made there; STORE_UNAVAILABLE when the disk fails.
    """
    refuse_existing(target)
    staged = target.with_name(STAGED.format(target.name, secrets.token_hex(4)))
    try:
        make_private(staged)  # what is wrong with the place is said before any work
        staged.unlink()
        yield staged
        sync(staged)
        _name_once(staged, target)
        sync(target.parent)
    except OSError as error:
        raise cannot_write(target, error) from error
    finally:
        for suffix in ("", *SIDECARS):
            with contextlib.suppress(OSError):
                Path(f"{staged}{suffix}").unlink()


def refuse_existing(target: Path) -> None:
    """STORE_CONFLICT when `target`, or a database's sidecar of that name, exists."""
    for path in (target, *(Path(f"{target}{suffix}") for suffix in SIDECARS)):
        if os.path.lexists(path):
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                f"{path} exists already, and nothing is ever written over. Choose another name.",
                path=str(path),
            )


def make_private(path: Path) -> None:
    """A new empty file, 0600 whatever the umask. OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(fd, 0o600)
    finally:
        os.close(fd)


def sync(path: Path) -> None:
    """Make what is there survive a power loss. OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # a folder, on some file systems
            raise
    finally:
        os.close(fd)


def _name_once(staged: Path, target: Path) -> None:
    try:
        os.link(staged, target)
    except FileExistsError:
        refuse_existing(target)
        raise
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}:
            raise
        refuse_existing(target)  # a file system without links
        staged.rename(target)


def cannot_write(target: Path, error: OSError) -> GroupXError:
    """STORE_UNAVAILABLE when the disk fails, STORE_CONFLICT when the place is wrong."""
    reason = error.strerror or str(error)
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EIO}:
        return GroupXError(
            ErrorCode.STORE_UNAVAILABLE,
            f"{target} could not be written ({reason}); what was written of it was removed. "
            "Free space or mend the disk, then try again.",
            path=str(target),
        )
    return GroupXError(
        ErrorCode.STORE_CONFLICT,
        f"{target} cannot be written ({reason}); nothing was made. Choose a folder that exists "
        "and that you may write to.",
        path=str(target),
    )
