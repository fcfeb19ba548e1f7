"""What the broker does for rooms as sessions."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import ArchiveRoom, OpenRoom, PruneIdleRooms, Read, ToStore, Write
from groupx.actors.transient import Transients
from groupx.domain.notices import room_changed
from groupx.domain.pages import RoomView
from groupx.domain.rooms import NewRoom, PrunedRooms, PruneRooms, SetArchived
from groupx.store.queries.rooms import active_room_id
from groupx.store.transactions.prune import prune
from groupx.store.transactions.rooms import new_room, set_archived


class RoomCommands:
    """A part of the broker, without a mailbox of its own."""

    def __init__(self, store: ActorRef[ToStore], transients: Transients) -> None:
        self._store = store
        self._transients = transients
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {OpenRoom: self._open, ArchiveRoom: self._archive, PruneIdleRooms: self._prune}
        )

    async def _open(self, message: OpenRoom) -> RoomView:
        command = NewRoom(key=command_key("room.new", message), title=message.title)
        opened = await self._store.ask(Write(new_room, command))
        # As it is by now: a command that comes again may be older than the newest room.
        self._transients.enter(await self._store.ask(Read(active_room_id, None)))
        return opened

    async def _archive(self, message: ArchiveRoom) -> RoomView:
        verb = "archive" if message.archived else "unarchive"
        command = SetArchived(
            key=command_key(f"room.{verb}", message),
            room_id=message.room_id,
            archived=message.archived,
        )
        changed = await self._store.ask(Write(set_archived, command))
        self._transients.say(room_changed())
        return changed

    async def _prune(self, message: PruneIdleRooms) -> PrunedRooms:
        command = PruneRooms(
            key=command_key(f"rooms.{message.action}", message, leave_out="found"),
            action=message.action,
            idle=message.found.idle,
            room_ids=message.found.room_ids,
        )
        done = await self._store.ask(Write(prune, command))
        self._transients.say(room_changed())
        return done
