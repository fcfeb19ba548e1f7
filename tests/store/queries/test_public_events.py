import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.store.queries.public_events import (
    Content,
    ContentQuery,
    PublicQuery,
    public_content,
    public_events,
)

ROOM = "room:main"
LONG = "é" * 100_000


def page(ledger, characters=1_000, **given):
    query = PublicQuery(room_id=ROOM, limit=given.pop("limit", 50), characters=characters, **given)
    return public_events(ledger.conn, query)


def test_only_as_much_of_each_content_is_read_as_is_wanted(ledger):
    sent = ledger.send(ledger.a, content=LONG)
    turn, attempt = sent.turns[0].turn_id, ledger.claim(sent.turns[0].turn_id).attempt_id
    ledger.end(turn, attempt, Cause.COMPLETED, response="short")
    widths = []

    def measured(_, row):
        widths.append(sum(len(str(cell)) for cell in row))
        return row

    ledger.conn.row_factory = measured
    events = page(ledger, characters=300)
    assert max(widths) < 1_000
    said = [event.content for event in events if event.type == "message.created"]
    assert said == [
        Content(text=LONG[:300], characters=100_000),
        Content(text="short", characters=5),
    ]
    assert events[-1].type == "turn.completed"
    assert (events[-1].facts["turnId"], events[-1].content) == (turn, None)


def test_a_stopped_call_is_told_without_what_it_wanted_to_say(ledger):
    turn, _ = ledger.running(ledger.a)
    with pytest.raises(GroupXError):
        ledger.call(turn, ledger.a, ledger.b, content=LONG, limits=Limits(hop_count=0))
    stopped = page(ledger)[-1]
    assert stopped.type == "routing.loop_stopped"
    assert stopped.facts == {"limit": "hopCount", "bound": 0}
    assert stopped.content is None


def test_the_newest_and_those_after(ledger):
    first = ledger.send(ledger.a, content="first")
    ledger.send(ledger.b, content="second")
    every = page(ledger, after_seq=0)
    assert [event.seq for event in every] == sorted(event.seq for event in every)
    assert page(ledger, limit=2) == every[-2:]
    assert page(ledger, limit=2, after_seq=every[0].seq) == every[1:3]
    ours = page(ledger, correlation_id=first.correlation_id)
    assert ours == page(ledger, correlation_id=first.correlation_id, after_seq=0)
    assert {event.correlation_id for event in ours} == {first.correlation_id}


def test_one_content_in_pieces(ledger):
    sent = ledger.send(ledger.a, content="0123456789")

    def piece(offset):
        return public_content(
            ledger.conn,
            ContentQuery(room_id=ROOM, event_id=sent.message_event_id, offset=offset, characters=4),
        )

    assert [piece(offset).text for offset in (0, 4, 8, 12)] == ["0123", "4567", "89", ""]
