"""A new room takes the place of the active one; old rooms are only hidden or shown."""

import pytest

from groupx.domain.commands import AgainCommand
from groupx.domain.errors import GroupXError
from groupx.domain.ids import SYSTEM, USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.memory_policy import SetPolicy
from groupx.domain.outcomes import Cause
from groupx.domain.pages import BootstrapQuery
from groupx.domain.rooms import NewRoom, SetArchived
from groupx.store.queries.bootstrap import bootstrap
from groupx.store.queries.lane import lane_head, lane_views
from groupx.store.queries.rooms import active_room, list_rooms, rooms
from groupx.store.queries.sessions import last_session, was_prompted
from groupx.store.transactions.again import again
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.rooms import new_room, set_archived


@pytest.fixture
def enter(ledger):
    """Open a room; a repeated `id` is the same command."""

    def opened(title=None, **key):
        return ledger.write(new_room, NewRoom(key=ledger.key("room.new", **key), title=title))

    return opened


def refusal(code, act, *arguments, **changes):
    with pytest.raises(GroupXError) as caught:
        act(*arguments, **changes)
    assert caught.value.code == code
    return caught.value


def test_a_new_room_archives_the_old_one_and_wakes_every_lane(ledger, enter):
    old = active_room(ledger.conn)
    ledger.completed()
    opened = enter("Second")
    assert {"agent:a", "agent:b", "agent:c"} <= set(ledger.woken)
    assert active_room(ledger.conn) == opened.room_id != old
    assert (opened.title, opened.active, opened.archived_at) == ("Second", True, None)
    first, second = rooms(ledger.conn)
    assert (first.room_id, second.room_id) == (opened.room_id, old)
    assert second.archived_at == opened.created_at
    assert enter().title == active_room(ledger.conn)


def test_the_same_command_opens_one_room(ledger, enter):
    first = enter(id="once")
    newer = enter(id="another")
    again_first = enter(id="once")
    assert again_first.room_id == first.room_id
    assert not again_first.active
    assert active_room(ledger.conn) == newer.room_id
    assert len(rooms(ledger.conn)) == 3


def test_no_new_room_while_a_turn_is_open(ledger, enter):
    waiting = ledger.queued()
    assert refusal("STORE_CONFLICT", enter).details == {"openTurns": 1}
    ledger.cancel(waiting)
    turn_id, attempt_id = ledger.running()
    refusal("STORE_CONFLICT", enter)
    ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="done")
    assert enter().active


def test_nothing_of_the_old_room_is_seen_or_done_in_the_new_one(ledger, enter):
    done = ledger.completed(content="secret")
    old = active_room(ledger.conn)
    enter()
    found = bootstrap(ledger.conn, BootstrapQuery())
    assert found.page.events == ()
    assert len(bootstrap(ledger.conn, BootstrapQuery(room_id=old)).page.events) > 3
    turn_id = ledger.row("SELECT turn_id FROM turns")[0]
    command = AgainCommand(
        key=ledger.key("turn.continue", turnId=turn_id),
        kind="continue",
        turn_id=turn_id,
        actor_id=USER_WEB,
        roster=ledger.roster,
        limits=Limits(),
    )
    assert "read-only" in refusal("STORE_CONFLICT", ledger.write, again, command).message
    refusal("NOT_FOUND", ledger.send, ledger.a, reply_to_event_id=done.response_event_id)


def test_no_session_of_another_room_is_gone_on_with(ledger, enter):
    ledger.completed()
    assert last_session(ledger.conn, ledger.a) is not None
    assert was_prompted(ledger.conn, ledger.a)
    enter()
    assert last_session(ledger.conn, ledger.a) is None
    assert not was_prompted(ledger.conn, ledger.a)
    ledger.bindings[ledger.a] = ledger.open_session(ledger.a, "native-new")
    assert last_session(ledger.conn, ledger.a) is None
    ledger.completed()
    assert last_session(ledger.conn, ledger.a).native_session_id == "native-new"


def test_a_head_says_in_which_room_it_is_to_run(ledger, enter):
    opened = enter()
    ledger.queued()
    head = lane_head(ledger.conn, ledger.a)
    assert (head.room_id, head.era.room_id) == (opened.room_id, opened.room_id)


def test_what_only_the_user_decides_goes_along(ledger, enter):
    ledger.write(set_lane, ledger.lane("paused", reason="wait"))
    for actor in (ledger.b, SYSTEM):
        ledger.write(
            set_policy,
            SetPolicy(
                key=ledger.key("memory_policy.set", actor=actor),
                actor_id=actor,
                by=USER_WEB,
                use_memories=False,
                generation="excluded" if actor == ledger.b else "disabled",
                expected_revision=0,
                reason="private",
            ),
        )
    opened = enter()
    paused = {lane.actor_id: lane.reason for lane in lane_views(ledger.conn, None) if lane.paused}
    assert paused == {ledger.a: "wait"}
    policies = dict(
        ledger.rows(
            "SELECT actor_id, generation FROM memory_policies WHERE room_id = ?", opened.room_id
        )
    )
    assert policies[ledger.b] == "excluded"
    assert {policies[actor] for actor in (SYSTEM, ledger.a, ledger.c)} == {"disabled"}


def test_archiving_only_hides(ledger, enter):
    old = active_room(ledger.conn)
    ledger.completed()
    opened = enter()

    def listed(shown="listed"):
        return [room.room_id for room in list_rooms(ledger.conn, shown)]

    def archive(room_id, archived):
        key = ledger.key("room.archive", room=room_id, archived=archived)
        return ledger.write(set_archived, SetArchived(key=key, room_id=room_id, archived=archived))

    assert listed() == [opened.room_id]
    assert listed("archived") == [old]
    assert archive(old, False).archived_at is None
    assert listed() == [opened.room_id, old]
    at = archive(old, True).archived_at
    assert archive(old, True).archived_at == at
    assert listed("all") == [opened.room_id, old]
    refusal("STORE_CONFLICT", archive, opened.room_id, True)
    refusal("NOT_FOUND", archive, "room:none", True)


def test_the_list_counts_what_is_in_a_room(ledger, enter):
    ledger.completed()
    enter()
    _, old = list_rooms(ledger.conn, "all")
    newest, count = ledger.row("SELECT max(occurred_at), count(*) FROM events")
    assert (old.events, old.turns, old.last_activity_at) == (count, 1, newest)
