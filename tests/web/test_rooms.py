"""The routes of the rooms, over a real ledger with a broker that only remembers."""

import attrs
import pytest

from groupx.actors.messages import ArchiveRoom, OpenRoom, PruneIdleRooms
from groupx.domain.commands import CommandKey
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import WEB_BINDING
from groupx.domain.pages import RoomView
from groupx.domain.rooms import NewRoom, PrunedRooms
from groupx.domain.times import iso_from_ms
from groupx.store.exchange.backup import Backup
from groupx.store.transactions.rooms import new_room
from groupx.web.app import create_guards, open_room
from tests.web.test_reading import LedgerRef, ledger  # noqa: F401

NOW_MS = 1_790_000_000_000
VIEW = RoomView(room_id="room_1", title="T", active=True, created_at="now")
WIRE = {"roomId": "room_1", "title": "T", "active": True, "createdAt": "now"}


@attrs.define
class FakeBackups:
    folder: object
    made: list
    refusal: GroupXError | None = None

    async def make(self, client_command_id):
        if self.refusal is not None:
            raise self.refusal
        self.made.append(client_command_id)
        return Backup(path=self.folder / "b.db", bytes=9)


@pytest.fixture
def backups(tmp_path):
    return FakeBackups(tmp_path / "backups", [])


@pytest.fixture
async def rooms(client, entrance, services, broker, ledger, backups):  # noqa: F811
    broker.answers |= {
        "OpenRoom": VIEW,
        "ArchiveRoom": VIEW,
        "PruneIdleRooms": PrunedRooms(room_ids=("room:main",), events=2, turns=1),
    }
    whole = attrs.evolve(services, store=LedgerRef(ledger), backups=backups, now_ms=lambda: NOW_MS)
    client.app = create_guards(entrance)
    open_room(client.app, whole)
    return client


async def enter(store):
    key = CommandKey(
        binding_id=WEB_BINDING, client_command_id=None, command_type="room.new", request={}
    )
    return await store.write(new_room, NewRoom(key=key, title="Two"))


async def test_the_list(rooms, ledger):  # noqa: F811
    opened = await enter(ledger)
    for show, expected in (
        ("", [opened.room_id]),
        ("?show=listed", [opened.room_id]),
        ("?show=archived", ["room:main"]),
        ("?show=all", [opened.room_id, "room:main"]),
    ):
        found = (await rooms.get(f"/api/rooms{show}")).json()["rooms"]
        assert [room["roomId"] for room in found] == expected
    assert set(found[1]) == {
        "roomId", "title", "active", "createdAt", "archivedAt", "events", "turns",
        "lastActivityAt",
    }  # fmt: skip
    assert (await rooms.get("/api/rooms?show=some")).code == "INVALID_ENVELOPE"


async def test_commands(rooms, broker):
    for path, fields, message, status in (
        ("", {"title": "T"}, OpenRoom(client_command_id="c", title="T"), 202),
        ("", {}, OpenRoom(client_command_id="c"), 202),
        ("/room_1/archive", {}, ArchiveRoom(client_command_id="c", room_id="room_1", archived=True),
         200),
        ("/room_1/unarchive", {},
         ArchiveRoom(client_command_id="c", room_id="room_1", archived=False), 200),
    ):  # fmt: skip
        response = await rooms.post(f"/api/rooms{path}", {"clientCommandId": "c"} | fields)
        assert (response.status, response.json()) == (status, {"room": WIRE})
        assert broker.asked.pop() == message


@pytest.mark.parametrize("days", [0, -1, 36_501, 1.5, "30", True, None])
async def test_an_age_that_is_none(rooms, days):
    body = {"clientCommandId": "c", "olderThanDays": days, "action": "preview"}
    assert (await rooms.post("/api/rooms/prune", body)).code == "INVALID_ENVELOPE"


async def pruned(rooms, action):
    body = {"clientCommandId": "c", "olderThanDays": 30, "action": action}
    return await rooms.post("/api/rooms/prune", body)


async def test_a_preview_asks_nobody_and_makes_nothing(rooms, ledger, broker, backups):  # noqa: F811
    await enter(ledger)
    found = (await pruned(rooms, "preview")).json()
    assert found == {
        "action": "preview",
        "roomIds": ["room:main"],
        "archived": 0,
        "deleted": 1,
        "events": 0,
        "turns": 0,
        "artifacts": {"files": 0, "bytes": 0, "skipped": 0},
    }
    assert (broker.asked, backups.made) == ([], [])


async def test_archiving_makes_no_backup(rooms, ledger, broker, backups):  # noqa: F811
    await enter(ledger)
    found = (await pruned(rooms, "archive")).json()
    assert (found["archived"], found["deleted"], found["roomIds"]) == (1, 0, ["room:main"])
    assert "backup" not in found
    assert backups.made == []
    (message,) = broker.asked
    assert isinstance(message, PruneIdleRooms)
    assert message.found.room_ids == ("room:main",)
    assert message.found.idle.before == iso_from_ms(NOW_MS - 30 * 86_400_000)


async def test_deleting_comes_after_a_backup(rooms, ledger, broker, backups):  # noqa: F811
    await enter(ledger)
    found = (await pruned(rooms, "delete")).json()
    assert (found["archived"], found["deleted"], found["events"]) == (0, 1, 2)
    assert found["backup"] == {"path": str(backups.folder / "b.db"), "bytes": 9}
    assert backups.made == ["c:backup"]
    backups.refusal = GroupXError(ErrorCode.STORE_CONFLICT, "no file")
    broker.asked.clear()
    assert (await pruned(rooms, "delete")).code == "STORE_CONFLICT"
    assert broker.asked == []
