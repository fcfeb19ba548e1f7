"""The config's file: read with a bound, replaced as a whole, no more open than it was."""

import errno
import os
import stat
from pathlib import Path

from groupx.domain.config_document import MAX_CONFIG_BYTES

PRIVATE = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_config_file(path: Path) -> bytes:
    """Its bytes, no more than a config may have and one; what is no file is not waited for.

    Raises OSError.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.read(MAX_CONFIG_BYTES + 1)


def replace_config_file(path: Path, data: bytes, *, private: bool) -> None:
    """All of it or nothing, also through a crash. Raises OSError.

    It keeps its mode; a new one, and one that is to be `private`, is closed to others.
    """
    mode = PRIVATE
    if path.exists():
        mode = stat.S_IMODE(path.stat().st_mode)
        mode = mode & ~_OTHERS if private else mode
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    staged.unlink(missing_ok=True)
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)
