"""A config's rooms for `groupx session`: asked of the running room, or of its database at rest."""

import contextlib
import uuid
from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

import attrs

from groupx.cli.client import Answer, NobodyListens, NotARuntime, RuntimeClient
from groupx.cli.failures import Refused
from groupx.cli.offline import (
    Offline,
    leased,
    ledger,
    now_ms,
    running_or_none,
    silent_meter,
    unrepeated,
    write,
)
from groupx.cli.place import Place
from groupx.cli.running import client_of
from groupx.domain.ids import RoomId
from groupx.domain.rooms import (
    Idle,
    KeptBackup,
    NewRoom,
    PrunedRooms,
    PruneReport,
    PruneRooms,
    SetArchived,
    Shown,
    archived,
    deleted,
    preview,
)
from groupx.domain.times import iso_from_ms
from groupx.domain.wire import to_wire
from groupx.store.exchange.artifacts import find_old_files, remove
from groupx.store.exchange.backup import default_target, make_backup
from groupx.store.queries.database_identity import database_identity
from groupx.store.queries.rooms import idle_rooms, list_rooms
from groupx.store.transaction import Transaction
from groupx.store.transactions.prune import prune
from groupx.store.transactions.rooms import new_room, set_archived

PRUNE_SECONDS = 3600.0
DAY_MS = 86_400_000

C = TypeVar("C")
R = TypeVar("R")
Wire = Mapping[str, Any]
"""As the routes answer it."""


class Rooms(Protocol):
    """What can be done, with the answers of the routes."""

    def listed(self, shown: Shown) -> list[Wire]:
        """With what is in them."""
        ...

    def new(self, title: str | None) -> Wire:
        """The room that was opened."""
        ...

    def set_archived(self, room_id: str, hidden: bool) -> Wire:
        """The room as it is then."""
        ...

    def prune(self, action: str, days: int) -> Wire:
        """A PruneReport."""
        ...


@contextlib.contextmanager
def rooms_of(place: Place) -> Generator[Rooms]:
    """Of the running room if there is one, else of its database under the lease."""
    running = running_or_none(place)
    if running is not None:
        client = attrs.evolve(client_of(place, running), timeout_seconds=PRUNE_SECONDS)
        yield _Online(client)
        return
    with leased(place) as offline:
        yield _Offline(offline)


@attrs.frozen
class _Online:
    _client: RuntimeClient

    def listed(self, shown: Shown) -> list[Wire]:
        return self._body(self._asked(lambda: self._client.get(f"/api/rooms?show={shown}")))[
            "rooms"
        ]

    def new(self, title: str | None) -> Wire:
        return self._post("/api/rooms", title=title)["room"]

    def set_archived(self, room_id: str, hidden: bool) -> Wire:
        verb = "archive" if hidden else "unarchive"
        return self._post(f"/api/rooms/{quote(room_id, safe='')}/{verb}")["room"]

    def prune(self, action: str, days: int) -> Wire:
        return self._post("/api/rooms/prune", olderThanDays=days, action=action)

    def _post(self, path: str, **fields: Any) -> Wire:
        body = {"clientCommandId": uuid.uuid4().hex, **fields}
        return self._body(self._asked(lambda: self._client.post(path, body)))

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        try:
            return ask()
        except (NobodyListens, NotARuntime):
            raise Refused(
                f"the room on port {self._client.port} did not answer, so whether anything was "
                "done is not known. Look with `groupx session list --all`, then try again."
            ) from None

    def _body(self, answer: Answer) -> Wire:
        if answer.status not in {200, 202}:
            raise Refused(answer.error_message)
        return answer.body


@attrs.frozen
class _Offline:
    _offline: Offline

    def listed(self, shown: Shown) -> list[Wire]:
        with ledger(self._offline) as conn:
            return to_wire(list_rooms(conn, shown))

    def new(self, title: str | None) -> Wire:
        return to_wire(self._write(new_room, NewRoom(key=unrepeated("room.new"), title=title)))

    def set_archived(self, room_id: str, hidden: bool) -> Wire:
        command = SetArchived(
            key=unrepeated("room.archive"), room_id=RoomId(room_id), archived=hidden
        )
        return to_wire(self._write(set_archived, command))

    def prune(self, action: str, days: int) -> Wire:
        before_ms = now_ms() - days * DAY_MS
        return to_wire(self._pruned(action, before_ms, Idle(before=iso_from_ms(before_ms))))

    def _pruned(self, action: str, before_ms: int, idle: Idle) -> PruneReport:
        with ledger(self._offline) as conn:
            rooms = idle_rooms(conn, idle)
            database_id = database_identity(conn, None).database_id
        ids = tuple(room.room_id for room in rooms)
        if action == "archive":
            return archived(self._prune_now("archive", idle, ids))
        files = find_old_files(self._offline.backups, database_id, before_ms)
        if action == "preview":
            return preview(rooms, files.counted())
        target = default_target(self._offline.backups, self._offline.database, now_ms())
        made = make_backup(self._offline.database, target, silent_meter())
        done = self._prune_now("delete", idle, ids)
        return deleted(done, remove(files), KeptBackup(path=str(made.path), bytes=made.bytes))

    def _prune_now(self, action: Any, idle: Idle, ids: tuple[RoomId, ...]) -> PrunedRooms:
        command = PruneRooms(key=unrepeated("rooms.prune"), action=action, idle=idle, room_ids=ids)
        return self._write(prune, command)

    def _write(self, run: Callable[[Transaction, C], R], command: C) -> R:
        with ledger(self._offline) as conn:
            return write(conn, run, command)
