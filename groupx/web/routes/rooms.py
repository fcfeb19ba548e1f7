"""GET·POST /api/rooms…: the rooms as sessions."""

import trio

from groupx.actors.messages import ArchiveRoom, OpenRoom, PruneIdleRooms, Read
from groupx.domain.ids import RoomId
from groupx.domain.rooms import Idle, IdleRooms, KeptBackup, archived, deleted, preview
from groupx.domain.times import iso_from_ms
from groupx.store.exchange.artifacts import OldFiles, find_old_files, remove
from groupx.store.queries.rooms import idle_rooms, list_rooms
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services

DEADLINE_MS = 1_000
DAY_MS = 86_400_000


async def list_all(services: Services, call: Call) -> Answer:
    """`{rooms}`, the active one first; `show` also gives archived ones."""
    shown = call.query.get("show", "listed")
    found = await services.store.ask(Read(list_rooms, shown, DEADLINE_MS))
    return json_answer({"rooms": found})


async def new_room(services: Services, call: Call) -> Answer:
    """`{room}`: archive the active room and open another. STORE_CONFLICT while a turn is open."""
    message = OpenRoom(client_command_id=call.body["clientCommandId"], title=call.body.get("title"))
    return json_answer({"room": await services.broker.ask(message)}, 202)


async def archive_room(services: Services, call: Call) -> Answer:
    """`{room}`. NOT_FOUND, STORE_CONFLICT for the active room."""
    return await _set_archived(services, call, True)


async def unarchive_room(services: Services, call: Call) -> Answer:
    """`{room}`. NOT_FOUND."""
    return await _set_archived(services, call, False)


async def _set_archived(services: Services, call: Call, hidden: bool) -> Answer:
    message = ArchiveRoom(
        client_command_id=call.body["clientCommandId"],
        room_id=RoomId(call.segments["room_id"]),
        archived=hidden,
    )
    return json_answer({"room": await services.broker.ask(message)})


async def prune_rooms(services: Services, call: Call) -> Answer:
    """A PruneReport. Deleting comes after a backup; STORE_CONFLICT where none can be made."""
    days, action = call.body["olderThanDays"], call.body["action"]
    before_ms = services.now_ms() - days * DAY_MS
    idle = Idle(before=iso_from_ms(before_ms))
    rooms = await services.store.ask(Read(idle_rooms, idle, DEADLINE_MS))
    message = PruneIdleRooms(
        client_command_id=call.body["clientCommandId"],
        action=action,
        older_than_days=days,
        found=IdleRooms(idle=idle, room_ids=tuple(room.room_id for room in rooms)),
    )
    if action == "archive":
        return json_answer(archived(await services.broker.ask(message)))
    files = await _old_files(services, before_ms)
    if action == "preview":
        return json_answer(preview(rooms, files.counted()))
    made = await services.backups.make(f"{message.client_command_id}:backup")
    done = await services.broker.ask(message)
    removed = await trio.to_thread.run_sync(remove, files)
    kept = KeptBackup(path=str(made.path), bytes=made.bytes)
    return json_answer(deleted(done, removed, kept))


async def _old_files(services: Services, before_ms: int) -> OldFiles:
    backups, database_id = services.backups, services.database.database_id
    return await trio.to_thread.run_sync(find_old_files, backups.folder, database_id, before_ms)


HANDLERS = {
    "rooms": list_all,
    "new_room": new_room,
    "archive_room": archive_room,
    "unarchive_room": unarchive_room,
    "prune_rooms": prune_rooms,
}
