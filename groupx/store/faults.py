"""SQLite's errors in the daemon's terms: what is the store's own failure, and what it means."""

import sqlite3

from groupx.domain.errors import ErrorCode, GroupXError

RETRY_AFTER_SECONDS = 1

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_FAULTS = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)
"""The medium failed, whatever the statement was."""
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""What is stored is not whole: a write that succeeds proves nothing, and each makes it worse."""
_FAILS_READS = _DAMAGE | {sqlite3.SQLITE_IOERR}


class Displaced(Exception):
    """A name of the open database no longer leads to it. Says which, and what became of it."""


def primary_code(error: BaseException) -> int | None:
    """SQLite's primary result code; None when `error` has none."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def is_busy(error: BaseException) -> bool:
    """Whether another connection held the database for longer than the busy timeout."""
    return primary_code(error) in _BUSY


def is_interrupt(error: BaseException) -> bool:
    """Whether what SQLite did was given up because nobody wants it any more."""
    return primary_code(error) == sqlite3.SQLITE_INTERRUPT


def is_fault(error: BaseException) -> bool:
    """Whether it is the store that failed, and not the one statement."""
    return primary_code(error) in _FAULTS


def loses_group(error: BaseException) -> bool:
    """Whether a write that fails so takes its whole group with it.

    Nobody can hold the database while a group has it: one that says so cannot be trusted.
    """
    return is_fault(error) or is_busy(error)


def is_damage(error: BaseException) -> bool:
    """Whether the database itself is broken, which no waiting mends."""
    return primary_code(error) in _DAMAGE


def stops_writing(error: BaseException) -> bool:
    """Whether a read that fails so says that writing must stop as well."""
    return primary_code(error) in _FAILS_READS


def heals(fault: GroupXError) -> bool:
    """Whether the fault may be over once a write can be kept."""
    return not fault.details.get("damaged")


def unavailable(cause: BaseException) -> GroupXError:
    """A write whose group was lost; its outcome is unknown until it is read back."""
    if is_damage(cause):
        return _damaged(_reason(cause), "Nothing was acknowledged, and nothing more is written.")
    if isinstance(cause, Displaced):
        return _displaced(str(cause), "Nothing was acknowledged")
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The ledger could not be written ({_reason(cause)}). Nothing was acknowledged and nothing "
        "is sent to an agent because of it. Free space or mend the disk: writing resumes by "
        "itself. Then look whether the room has it, or repeat it with the same command id.",
        cause=_reason(cause),
    )


def not_opened(cause: BaseException) -> GroupXError:
    """The medium failed while the ledger was opened, created or upgraded; it was rolled back."""
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The database could not be opened ({_reason(cause)}). What is in it is as it was. Free "
        "space or mend the disk, then start again.",
        cause=_reason(cause),
    )


def refused(fault: GroupXError, *, waits: bool = True) -> GroupXError:
    """A write that was not tried, since the store has a fault.

    Unless somebody `waits` for it, a database that was taken away is gone for good.
    """
    cause = fault.details["cause"]
    if not heals(fault):
        return _damaged(cause, "This was not stored; nothing more is written.")
    if fault.details.get("displaced"):
        return _displaced(cause, "This was not stored", **({} if waits else {"ended": True}))
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The ledger is read-only since a write failed ({cause}). This was not stored; reading "
        "goes on. Free space or mend the disk: writing resumes by itself, then repeat it.",
        cause=cause,
    )


def unreadable(cause: BaseException) -> GroupXError:
    """A read that the medium failed."""
    if is_damage(cause):
        return _damaged(_reason(cause), "This could not be read; nothing more is written.")
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The ledger could not be read ({_reason(cause)}). Nothing was changed. Check the disk, "
        "and keep a copy of the database and its -wal file before anything else.",
        cause=_reason(cause),
    )


def closed(why: str) -> GroupXError:
    """A call to a store that no longer runs."""
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The ledger {why}, so this was not stored. Repeat it once GroupX runs again.",
        cause=f"the ledger {why}",
        ended=True,
    )


def busy(detail: str) -> GroupXError:
    """STORE_BUSY, which is worth repeating."""
    return GroupXError(ErrorCode.STORE_BUSY, detail, retryAfter=RETRY_AFTER_SECONDS)


def locked_elsewhere() -> GroupXError:
    """Another program holds the database."""
    return busy(
        "Another program kept the database locked for too long; nothing was changed. "
        "Try again, and close what else has the file open."
    )


def _damaged(reason: str, meaning: str) -> GroupXError:
    """It stays until the next start: only a person can put a whole database there."""
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The database is damaged ({reason}). {meaning} Stop GroupX, keep a copy of the database "
        "with its -wal file, restore a backup in its place, then start again.",
        cause=reason,
        damaged=True,
    )


def _displaced(reason: str, meaning: str, **details: bool) -> GroupXError:
    """It heals when the same files are back under their names."""
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The database is not in its place any more: {reason} while it was in use. {meaning}, "
        "and nothing more is written or sent to an agent, since the next start could not find it. "
        "Put the same files back by moving them, and writing resumes by itself. If they were "
        "deleted, what was said is in the open files only as long as GroupX runs: save it before "
        "`groupx stop` as docs/database.md says, or restore a backup after it.",
        cause=reason,
        displaced=True,
        **details,
    )


def _reason(cause: BaseException) -> str:
    name = getattr(cause, "sqlite_errorname", None)
    return f"{cause} [{name}]" if name else str(cause) or type(cause).__name__
