import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.limits import Limits
from groupx.domain.packet_inputs import PacketQuery
from groupx.domain.side_conversation import ReplyAside, SayAsideCommand, SideQuery
from groupx.store.queries.packet_inputs import packet_head
from groupx.store.queries.side_conversation import side_page
from groupx.store.transactions.accept import accept
from groupx.store.transactions.side_conversation import reply_aside, say_aside


def say(ledger, content="who works?", **changes):
    key = ledger.key("assistant.say", id=changes.pop("id", None), content=content)
    return SayAsideCommand(key=key, content=content, limits=Limits(), **changes)


def said(ledger, content="who works?", **changes):
    return ledger.write(say_aside, say(ledger, content, **changes)).message


def reply(ledger, message, content="nobody"):
    it = ReplyAside(message_id=message.message_id, content=content)
    return ledger.write(reply_aside, it)


def test_a_message_and_its_reply_are_no_part_of_the_room(ledger):
    before = len(ledger.frames)
    message = said(ledger)
    answer = reply(ledger, message)
    assert len(ledger.frames) == before
    assert ledger.rows("SELECT count(*) FROM events") == [(0,)]
    assert (answer.role, answer.reply_to_message_id) == ("assistant", message.message_id)
    turn_id = ledger.queued(ledger.a, content="work")
    head = packet_head(ledger.conn, PacketQuery(turn_id=turn_id, native_session_id=None))
    assert head.source.content == "work"
    assert head.complete_after_seq == head.lower_seq == 0


def test_the_same_command_is_the_same_message_before_and_after_its_reply(ledger):
    command = say(ledger)
    first = ledger.write(say_aside, command)
    assert (first.reply, first.message.answered) == (None, False)
    assert ledger.write(say_aside, command) == first
    answer = reply(ledger, first.message)
    again = ledger.write(say_aside, command)
    assert again.reply.content == answer.content == "nobody"
    assert again.message.answered
    assert ledger.rows("SELECT count(*) FROM assistant_conversation_messages") == [(2,)]


def test_only_the_first_reply_stands(ledger):
    message = said(ledger)
    first = reply(ledger, message)
    assert reply(ledger, message, "another").content == first.content


def test_a_reply_to_nothing_is_refused(ledger, refused):
    refused("NOT_FOUND", reply_aside, ReplyAside(message_id="asst_0", content="x"))


def test_what_is_refused_stores_nothing(ledger, refused):
    said(ledger, "one", id="c")
    refused("CLIENT_COMMAND_CONFLICT", say_aside, say(ledger, "two", id="c"))
    refused("QUEUE_CAPACITY_REACHED", say_aside, say(ledger, "three", has_room=False))
    refused("MESSAGE_TOO_LARGE", say_aside, say(ledger, "x" * 131_073))
    assert ledger.write(say_aside, say(ledger, "one", id="c", has_room=False)).reply is None


def test_an_id_of_a_message_in_the_room_is_taken_and_the_other_way_round(ledger, refused):
    ledger.send(ledger.a, key=ledger.key(id="room", to=["agent:a"]))
    refused("CLIENT_COMMAND_CONFLICT", say_aside, say(ledger, id="room"))
    said(ledger, id="aside")
    it = ledger.message(ledger.a, key=ledger.key(id="aside", to=["agent:a"]))
    refused("CLIENT_COMMAND_CONFLICT", accept, it)


def test_pages_meet_without_a_gap_and_say_what_is_answered(ledger):
    for number in range(4):
        message = said(ledger, f"m{number}")
        if number != 2:
            reply(ledger, message, f"r{number}")
    page = side_page(ledger.conn, SideQuery(limit=3))
    assert [m.content for m in page.messages] == ["m2", "m3", "r3"]
    assert [m.answered for m in page.messages] == [False, True, False]
    rest = side_page(ledger.conn, SideQuery(limit=9, before_id=page.previous_before_id))
    assert [m.content for m in rest.messages] == ["m0", "r0", "m1", "r1"]
    assert rest.previous_before_id is None
    with pytest.raises(GroupXError, match="no message 'asst_x'"):
        side_page(ledger.conn, SideQuery(before_id="asst_x"))


def test_a_page_is_bounded_by_its_size_and_has_the_newest(ledger):
    for number in range(3):
        said(ledger, str(number) * 10)
    page = side_page(ledger.conn, SideQuery(max_characters=25))
    assert [m.content[0] for m in page.messages] == ["1", "2"]
    page = side_page(ledger.conn, SideQuery(max_characters=5, characters=7))
    assert [m.content for m in page.messages] == ["2222222"]
    assert page.previous_before_id == page.messages[0].message_id


def test_in_an_older_ledger_the_reply_is_the_next_row(ledger):
    rows = (
        ("asst_b", "user", "first", "2026-01-01T00:00:00.001Z", "old-1"),
        ("asst_a", "assistant", "its reply", "2026-01-01T00:00:00.002Z", None),
        ("asst_c", "user", "never answered", "2026-01-01T00:00:00.003Z", "old-2"),
        ("asst_d", "user", "second", "2026-01-01T00:00:00.004Z", "old-3"),
    )
    ledger.conn.executemany(
        "INSERT INTO assistant_conversation_messages VALUES (?, ?, ?, ?, ?)", rows
    )
    page = side_page(ledger.conn, SideQuery())
    assert [m.answered for m in page.messages] == [True, False, False, False]
    known = ledger.write(say_aside, say(ledger, "first", id="old-1"))
    assert known.reply.content == "its reply"
    open_one = ledger.write(say_aside, say(ledger, "never answered", id="old-2"))
    assert open_one.reply is None
    reply(ledger, page.messages[3], "of the second")
    assert [m.answered for m in side_page(ledger.conn, SideQuery()).messages[:4]] == [
        True, False, False, True,
    ]  # fmt: skip
