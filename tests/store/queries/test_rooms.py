import pytest

from groupx.domain.errors import GroupXError
from groupx.store.queries.rooms import active_room, must_exist, rooms


def test_the_active_room_comes_first(ledger):
    ledger.conn.execute("INSERT INTO rooms VALUES ('room:old', 'Old', 0, '2020', '2021')")
    assert active_room(ledger.conn) == "room:main"
    first, second = rooms(ledger.conn)
    assert (first.room_id, first.active, first.archived_at) == ("room:main", True, None)
    assert (second.title, second.active, second.archived_at) == ("Old", False, "2021")
    must_exist(ledger.conn, "room:old")
    with pytest.raises(GroupXError, match="NOT_FOUND"):
        must_exist(ledger.conn, "room:none")
