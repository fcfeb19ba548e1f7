"""Rooms as sessions: opening a new one, putting old ones away, clearing out the oldest."""

from collections.abc import Sequence
from typing import Literal

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.ids import RoomId
from groupx.domain.pages import RoomView
from groupx.domain.wire import optional

MAX_TITLE_CHARACTERS = 200
MAX_PRUNE_DAYS = 36_500

Shown = Literal["listed", "archived", "all"]
"""Which rooms: those of the default list (not archived), the archived ones, every one."""


@attrs.frozen(kw_only=True)
class NewRoom:
    """Archive the active room and open another."""

    key: CommandKey
    title: str | None = None
    """None = the room's id."""


@attrs.frozen(kw_only=True)
class SetArchived:
    """Hide a room from the default list, or show it there again."""

    key: CommandKey
    room_id: RoomId
    archived: bool


@attrs.frozen(kw_only=True)
class RoomSummary(RoomView):
    """One room of the list."""

    events: int
    turns: int
    last_activity_at: str
    """When its newest event was; of an empty room, when it was made."""


@attrs.frozen(kw_only=True)
class Idle:
    """Rooms without activity since `before`; never the active one, nor one with an open turn."""

    before: str
    """ISO time; activity at that very moment is new enough."""


@attrs.frozen(kw_only=True)
class IdleRooms:
    """The rooms that were idle when it was asked; those that a backup made since has."""

    idle: Idle
    room_ids: tuple[RoomId, ...]


@attrs.frozen(kw_only=True)
class PruneRooms:
    """Archive or delete these rooms, as far as they are still idle."""

    key: CommandKey
    action: Literal["archive", "delete"]
    idle: Idle
    room_ids: tuple[RoomId, ...]
    """Those that the user was shown, or that the backup has."""


@attrs.frozen(kw_only=True)
class PrunedRooms:
    """What was done, and to which rooms."""

    room_ids: tuple[str, ...]
    events: int
    turns: int


@attrs.frozen(kw_only=True)
class Artifacts:
    """Files in the folder of backups that are as old as what is pruned."""

    files: int = 0
    """Backups and exports of this database."""
    bytes: int = 0
    skipped: int = 0
    """Those that are not known to be of this database; they are left alone."""


@attrs.frozen(kw_only=True)
class KeptBackup:
    """The backup that was made before anything was deleted."""

    path: str
    bytes: int


@attrs.frozen(kw_only=True)
class PruneReport:
    """What a prune would do (preview: by either action), or did."""

    action: Literal["preview", "archive", "delete"]
    room_ids: tuple[str, ...]
    archived: int
    """Rooms."""
    deleted: int
    """Rooms; with them these events, turns and files."""
    events: int = 0
    turns: int = 0
    artifacts: Artifacts = attrs.field(factory=Artifacts)
    backup: KeptBackup | None = optional()


def preview(rooms: Sequence[RoomSummary], artifacts: Artifacts) -> PruneReport:
    """Of these idle rooms and old files."""
    return PruneReport(
        action="preview",
        room_ids=tuple(room.room_id for room in rooms),
        archived=sum(room.archived_at is None for room in rooms),
        deleted=len(rooms),
        events=sum(room.events for room in rooms),
        turns=sum(room.turns for room in rooms),
        artifacts=artifacts,
    )


def archived(done: PrunedRooms) -> PruneReport:
    """These rooms are out of the default list; nothing else happened."""
    return PruneReport(
        action="archive", room_ids=done.room_ids, archived=len(done.room_ids), deleted=0
    )


def deleted(done: PrunedRooms, artifacts: Artifacts, backup: KeptBackup) -> PruneReport:
    """These rooms are in the backup only."""
    return PruneReport(
        action="delete",
        room_ids=done.room_ids,
        archived=0,
        deleted=len(done.room_ids),
        events=done.events,
        turns=done.turns,
        artifacts=artifacts,
        backup=backup,
    )
