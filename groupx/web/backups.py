"""Backups of the running room's database, one at a time, on a thread of their own."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import attrs
import trio

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import ToStore, Write
from groupx.domain.commands import CommandKey, RememberCommand
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import WEB_BINDING
from groupx.store.exchange.backup import Backup, default_target, make_backup
from groupx.store.meter import Meter
from groupx.store.transactions.remember_command import remember_command


@attrs.frozen
class Backups:
    """Of `database` (None: it is in memory) into `folder`."""

    database: Path | None
    folder: Path
    store: ActorRef[ToStore]
    now_ms: Callable[[], int]
    _turn: trio.Lock = attrs.field(factory=trio.Lock)

    async def make(self, client_command_id: str) -> Backup:
        """Make a backup once: the same command again gets the same file.

        STORE_CONFLICT for a database in memory, STORE_UNAVAILABLE when it cannot be made.
        """
        if self.database is None:
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                "This room's database is in memory, so there is no file to back up. "
                "Export the room instead.",
            )
        async with self._turn:
            name = default_target(self.folder, self.database, self.now_ms()).name
            command = RememberCommand(
                key=CommandKey(
                    binding_id=WEB_BINDING,
                    client_command_id=client_command_id,
                    command_type="backup",
                    request={},
                ),
                result={"name": name},
            )
            remembered = await self.store.ask(Write(remember_command, command))
            target = self.folder / Path(str(remembered.result["name"])).name
            if not remembered.fresh and target.exists():
                return Backup(path=target, bytes=target.stat().st_size)
            return await trio.to_thread.run_sync(_make, self.database, target)


def _make(database: Path, target: Path) -> Backup:
    try:
        return make_backup(database, target, Meter(_unheard, unwanted=_cancelled))
    except sqlite3.Error:
        trio.from_thread.check_cancelled()
        raise


def _unheard(_done: int, _total: int) -> None:
    """Nobody is told how far it is."""


def _cancelled() -> bool:
    try:
        trio.from_thread.check_cancelled()
    except trio.Cancelled:
        return True  # raised again once SQLite has let go
    return False
