"""The lease that says: one runtime writes this database and this data folder."""

import fcntl
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import attrs

from groupx.process.held_file import HeldFile

_TRIES = 5
_PAUSE_SECONDS = 0.02


class LeaseTaken(Exception):
    """Another runtime holds it."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Another GroupX runtime holds {path}, so nothing was started and nothing was "
            f"touched. `lsof {path}` names its process, and `ps` the config it runs with: stop it "
            "with `groupx stop` and that config, or use another database and data folder."
        )
        self.path = path


class LeaseImpossible(Exception):
    """A lock file cannot be used, whoever holds it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"The lock file {path} cannot be used: {reason}. Nothing was started. Make its folder "
            "writable for you, on a local disk."
        )
        self.path = path


class DatabaseLinked(LeaseImpossible):
    """The database has another name, under which another runtime might open it."""

    def __init__(self, path: Path) -> None:
        Exception.__init__(
            self,
            f"The database {path} has more than one name (hard links), so another room could "
            "open it by another one at the same time. Nothing was started. "
            f"`find / -xdev -samefile {path}` names them: keep one. Or, while no room "
            "uses it, copy it with its -wal file to a name of its own, and use that.",
        )
        self.path = path


@attrs.frozen
class RunLease:
    """Exclusive locks on `<realpath(database)>.lock` and `<data dir>/runtime.lock`.

    The kernel frees them with the process, however it ends. The files hold no state, are never
    removed (a removed one would let a second holder in), and are not inherited by children.
    Released at the end of a `with` block too.
    """

    _descriptors: tuple[int, ...]
    _files: tuple[HeldFile, ...]

    @classmethod
    def acquire(cls, database: Path | None, data_dir: Path) -> Self:
        """Within a moment or not at all; a database in memory is None.

        Raises LeaseTaken or LeaseImpossible (DatabaseLinked when the file has other names too).
        """
        taken: list[int] = []
        try:
            for path in lock_files(database, data_dir):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                taken.append(_lock_soon(path))
            if database is not None:
                _refuse_linked(Path(os.path.realpath(database)))
            files = tuple(HeldFile.of(path) for path in lock_files(database, data_dir))
        except OSError as error:
            _close(taken)
            raise LeaseImpossible(Path(error.filename or data_dir), _reason(error)) from error
        except BaseException:
            _close(taken)
            raise
        return cls(tuple(taken), files)

    def lost(self) -> str | None:
        """The lock file that no longer is the held one, so that another runtime could hold it."""
        return next((file.path for file in self._files if not file.is_there()), None)

    def release(self) -> None:
        """Once, at the very end; at once, even while a child is between fork and exec."""
        for descriptor in self._descriptors:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        _close(self._descriptors)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_free(database: Path | None, data_dir: Path) -> bool:
    """Whether nobody holds it now. Creates nothing; raises LeaseImpossible."""
    try:
        for path in lock_files(database, data_dir):
            _look(path)
    except LeaseTaken:
        return False
    return True


def refuse_taken(database: Path) -> None:
    """LeaseTaken or LeaseImpossible, as a runtime that is started would be told of the database.

    Creates nothing. Not for one that this process holds.
    """
    real = Path(os.path.realpath(database))
    _look(_database_lock(real))
    _refuse_linked(real)


def lock_files(database: Path | None, data_dir: Path) -> tuple[Path, ...]:
    """Which files are locked, in order. Two configs may name one database by different paths."""
    by_data = Path(os.path.realpath(data_dir)) / "runtime.lock"
    if database is None:
        return (by_data,)
    by_database = _database_lock(Path(os.path.realpath(database)))
    return (by_database,) if by_database == by_data else (by_database, by_data)


def _database_lock(real: Path) -> Path:
    return real.with_name(real.name + ".lock")


def _look(path: Path) -> None:
    """LeaseTaken when somebody holds it now; LeaseImpossible."""
    try:
        os.close(_lock(path, 0, fcntl.LOCK_SH))
    except FileNotFoundError:
        return
    except OSError as error:
        raise LeaseImpossible(path, _reason(error)) from error


def _lock_soon(path: Path) -> int:
    """Who asks whether it is free holds it for an instant; that is nobody to give way to."""
    for _ in range(_TRIES - 1):
        try:
            return _lock(path, os.O_CREAT, fcntl.LOCK_EX)
        except LeaseTaken:
            time.sleep(_PAUSE_SECONDS)
    return _lock(path, os.O_CREAT, fcntl.LOCK_EX)


def _refuse_linked(database: Path) -> None:
    try:
        links = database.stat().st_nlink
    except FileNotFoundError:
        return
    if database.is_file() and links > 1:
        raise DatabaseLinked(database)


def _lock(path: Path, create: int, mode: int) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | create | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
            if _is_still(descriptor, path):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise LeaseTaken(path) from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_still(descriptor: int, path: Path) -> bool:
    """Whether the locked file is the one of that name, not one removed meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
