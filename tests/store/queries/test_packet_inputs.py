import attrs
import pytest
import trio

from groupx.actors.transcript_reading import read_inputs
from groupx.domain.commands import AgainCommand, PublishCommand, WithdrawCommand
from groupx.domain.envelope import Provenance
from groupx.domain.errors import GroupXError
from groupx.domain.ids import USER_WEB
from groupx.domain.ledger import StartedCommand
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.packet_inputs import PacketQuery, SaidQuery
from groupx.store.queries import transcript_pages
from groupx.store.queries.transcript_pages import said_page
from groupx.store.transactions.again import again
from groupx.store.transactions.publish import publish
from groupx.store.transactions.started import started
from groupx.store.transactions.withdraw import withdraw

SESSION_A = "native-agent:a-1"


class Reads:
    """Answers reads at once, and counts what each of them gave."""

    def __init__(self, conn):
        self.conn = conn
        self.pages = []

    async def ask(self, request):
        answer = request.run(self.conn, request.query)
        self.pages.append(len(getattr(answer, "entries", ())))
        return answer


def inputs(ledger, turn_id, session=None, max_characters=256_000):
    query = PacketQuery(turn_id=turn_id, native_session_id=session)
    return trio.run(read_inputs, Reads(ledger.conn), query, max_characters)


def words(entries):
    return [entry.content for entry in entries]


def test_a_fresh_session_gets_everything_that_was_said(ledger):
    ledger.completed(ledger.b, content="one", response="two")
    turn_id = ledger.queued(ledger.a, content="three")
    it = inputs(ledger, turn_id)
    assert words(it.transcript) == ["one", "two"]
    assert it.source.content == "three"
    assert (it.target_actor_id, it.target_name, it.room_id) == (ledger.a, "Ada", "room:main")
    assert it.context_through_seq == it.source.seq
    assert (it.lower_seq, it.complete_after_seq, it.last_delivered_seq) == (0, 0, 0)
    assert it.transcript[1].actor_name == "Bob"
    assert it.transcript[1].reply_to_event_id == it.transcript[0].event_id
    assert it.transcript[0].to == (ledger.b,)
    assert it.names[ledger.b] == "Bob"
    assert not any(entry.own_response or entry.own_source for entry in it.transcript)


def test_a_session_that_has_the_history_gets_what_is_new(ledger):
    ledger.completed(content="one", response="mine")
    ledger.completed(ledger.b, content="two", response="theirs")
    turn_id = ledger.queued(content="three")
    it = inputs(ledger, turn_id, SESSION_A)
    assert it.session_knows_cursor
    assert it.lower_seq == it.last_delivered_seq == 1
    assert [(e.content, e.own_response, e.own_source) for e in it.transcript] == [
        ("mine", True, False), ("two", False, False), ("theirs", False, False),
    ]  # fmt: skip
    fresh = inputs(ledger, turn_id, "another session")
    assert not fresh.session_knows_cursor
    assert [(e.content, e.own_source) for e in fresh.transcript][:1] == [("one", True)]


def waiting_behind(ledger, *answers):
    """A turn of `a` that waited while it gave these answers, and others went on talking."""
    begun = [ledger.queued(content=f"to {answer}") for answer in answers]
    turn_id = ledger.queued(content="the one that waits")
    for answer, before in zip(answers, begun, strict=True):
        attempt_id = ledger.claim(before).attempt_id
        ledger.write(started, StartedCommand(attempt_id=attempt_id, native_turn_id="n1"))
        ledger.end(before, attempt_id, Cause.COMPLETED, response=answer)
        ledger.completed(ledger.b, content="meanwhile", response="theirs")
    return turn_id


def test_a_fresh_session_gets_what_the_agent_answered_while_the_message_waited(ledger):
    ledger.completed(content="long ago", response="an old answer")
    turn_id = waiting_behind(ledger, "one", "two")
    it = inputs(ledger, turn_id, "another session")
    assert words(it.later_answers) == ["one", "two"]
    assert it.context_through_seq == it.source.seq < it.later_answers[0].seq
    assert words(it.transcript) == ["long ago", "an old answer", "to one", "to two"]
    assert inputs(ledger, turn_id, SESSION_A).later_answers == (), "this session gave them"


def test_nothing_from_under_a_reset_is_among_them(ledger):
    turn_id = waiting_behind(ledger, "one", "two")
    two = inputs(ledger, turn_id).later_answers[1]
    reset = "INSERT INTO context_resets VALUES ('r', 'room:main', ?, 0, 'now')"
    ledger.conn.execute(reset, (two.seq - 1,))
    assert words(inputs(ledger, turn_id).later_answers) == ["two"]


def test_no_answer_in_another_room_is_among_them(ledger):
    turn_id = waiting_behind(ledger, "one", "not here")
    moved = "UPDATE events SET room_id = 'room:2' WHERE json_extract(body_json, '$.content') = ?"
    ledger.conn.execute(moved, ("not here",))
    assert words(inputs(ledger, turn_id).later_answers) == ["one"]


def test_no_more_of_them_is_read_than_a_packet_could_hold(ledger, monkeypatch):
    monkeypatch.setattr(transcript_pages, "MAX_PAGE_EVENTS", 1)
    turn_id = waiting_behind(ledger, "1" * 400, "2" * 400, "3" * 400)
    it = inputs(ledger, turn_id, max_characters=600)
    assert words(it.later_answers) == ["2" * 400, "3" * 400]
    assert (it.transcript, it.lower_seq) == ((), 0)
    assert it.complete_after_seq == it.source.seq - 1, "so that nothing passes for all of it"


def test_a_session_that_was_left_has_missed_something(ledger):
    ledger.completed(content="one")
    ledger.bindings[ledger.a] = ledger.open_session(ledger.a, "second")
    ledger.completed(content="two")
    turn_id = ledger.queued()
    assert not inputs(ledger, turn_id, SESSION_A).session_knows_cursor
    assert inputs(ledger, turn_id, "second").session_knows_cursor


def test_an_unproven_delivery_moves_nothing(ledger):
    turn_id = ledger.queued(content="one")
    attempt_id = ledger.claim(turn_id).attempt_id
    ledger.end(turn_id, attempt_id, Cause.EXITED)
    it = inputs(ledger, ledger.queued(content="two"), SESSION_A)
    assert not it.session_knows_cursor
    assert [(e.content, e.own_source) for e in it.transcript] == [("one", False)]


def test_the_floor_and_the_checkpoint(ledger):
    for number in range(4):
        ledger.completed(ledger.b, content=f"q{number}", response=f"r{number}")
    turn_id = ledger.queued(content="now")
    ledger.conn.execute(
        "INSERT INTO summaries VALUES ('s', 'room:main', 1, 12, 'so far', 'agent:b', 'active', 'n')"
    )
    it = inputs(ledger, turn_id)
    assert (it.summary.content, it.summary.through_seq, it.lower_seq) == ("so far", 12, 12)
    assert words(it.transcript) == ["q2", "r2", "q3", "r3"]
    ledger.conn.execute("INSERT INTO context_resets VALUES ('r', 'room:main', 18, 0, 'now')")
    it = inputs(ledger, turn_id)
    assert (it.summary, it.reset_through_seq, it.lower_seq) == (None, 18, 18)
    assert words(it.transcript) == ["q3", "r3"]


def test_a_checkpoint_is_as_old_as_the_newest_thing_in_it(ledger):
    ledger.completed(content="old", response="older than the checkpoint")
    (through, at) = ledger.row("SELECT max(seq), max(occurred_at) FROM events")
    ledger.clock += 60_000
    ledger.send(ledger.b, content="said while it was made")
    ledger.conn.execute(
        "INSERT INTO summaries VALUES ('s', 'room:main', 1, ?, 'x', 'agent:a', 'active', '9999')",
        (through,),
    )
    it = inputs(ledger, ledger.queued(ledger.a))
    assert it.summary.at == at < it.transcript[-1].occurred_at


def test_a_known_session_keeps_its_cursor_under_a_newer_checkpoint(ledger):
    ledger.completed(content="one", response="mine")
    ledger.completed(ledger.b, content="two", response="theirs")
    turn_id = ledger.queued()
    ledger.conn.execute(
        "INSERT INTO summaries VALUES ('s', 'room:main', 1, 8, 'sum', 'agent:b', 'active', 'n')"
    )
    it = inputs(ledger, turn_id, SESSION_A)
    assert (it.lower_seq, it.summary.through_seq) == (1, 8)


def test_bounds_keep_the_newest_and_say_where_it_is_whole(ledger, monkeypatch):
    monkeypatch.setattr(transcript_pages, "MAX_PAGE_EVENTS", 2)
    for number in range(5):
        ledger.completed(ledger.b, content=f"q{number}", response=f"r{number}")
    it = inputs(ledger, ledger.queued(), max_characters=200)
    assert words(it.transcript) == ["q3", "r3", "q4", "r4"]
    oldest = ledger.row("SELECT seq FROM events WHERE json_extract(body_json, '$.content') = 'q3'")
    assert it.complete_after_seq == oldest[0] - 1 > it.lower_seq


@pytest.mark.parametrize("rows", [1, 2, 3, 200])
@pytest.mark.parametrize("seqs", [1, 3, 7, 2_000])
@pytest.mark.parametrize("characters", [1, 1_000])
def test_pages_of_any_size_give_the_same(ledger, monkeypatch, rows, seqs, characters):
    reply_to = None
    for number in range(4):
        done = ledger.completed(
            ledger.b, content=f"q{number}", response=f"r{number}", reply_to_event_id=reply_to
        )
        reply_to = done.response_event_id
    turn_id = waiting_behind(ledger, "one", "two", "three")
    source = ledger.row("SELECT source_event_id FROM turns WHERE turn_id = ?", turn_id)[0]
    ledger.conn.execute(
        "UPDATE events SET reply_to_event_id = ? WHERE event_id = ?", (reply_to, source)
    )
    whole = inputs(ledger, turn_id)
    assert len(whole.transcript) == 11
    assert len(whole.reply_chain) == 8
    assert len(whole.later_answers) == 3
    monkeypatch.setattr(transcript_pages, "MAX_PAGE_EVENTS", rows)
    monkeypatch.setattr(transcript_pages, "PAGE_SEQS", seqs)
    monkeypatch.setattr(transcript_pages, "PAGE_CHARACTERS", characters)
    assert inputs(ledger, turn_id) == whole


def test_what_the_session_has_does_not_count(ledger):
    """A long answer of its own must not keep an agent from its next turn."""
    ledger.completed(content="one", response="x" * 2_000)
    it = inputs(ledger, ledger.queued(content="two"), SESSION_A, max_characters=1_000)
    assert it.complete_after_seq == it.lower_seq


def test_one_read_is_short_whatever_the_room_holds(ledger):
    """5 000 messages among 50 000 events: each read looks through a bounded part."""
    done = ledger.completed(ledger.b)
    ledger.conn.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)"
        " INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,"
        " actor_display_name, targets_json, correlation_id, occurred_at, body_json)"
        " SELECT 'e' || i, 'groupx.event/0.1', 'room:main',"
        " iif(i % 10, 'tool.progress.recorded', 'message.created'), 'agent:b',"
        " 'agent', 'Bob', '[]', 'corr', 'now', '{\"content\":\"ok\"}' FROM n"
    )
    turn_id = ledger.queued()
    store = Reads(ledger.conn)
    query = PacketQuery(turn_id=turn_id, native_session_id=None)
    steps = []
    ledger.conn.set_progress_handler(lambda: steps.append(1), 1_000)
    it = trio.run(read_inputs, store, query, 10_000_000)
    ledger.conn.set_progress_handler(None, 0)
    assert len(it.transcript) == 5_002
    assert it.transcript[1].turn_id == done.turn_id
    assert max(store.pages) <= 200
    assert 20 <= len(store.pages) <= 40
    assert len(steps) / len(store.pages) < 60, "thousands of SQLite's instructions in one read"


def test_a_page_is_only_of_its_room_and_range(ledger):
    ledger.completed(ledger.b, content="one", response="two")
    upper = ledger.frames[-1].seq + 1
    query = SaidQuery(room_id="room:main", target_actor_id=ledger.a, lower_seq=1, upper_seq=upper)
    assert words(said_page(ledger.conn, query).entries) == ["two"]
    other = attrs.evolve(query, room_id="room:2")
    assert said_page(ledger.conn, other).entries == ()


def test_what_is_never_told(ledger):
    old, attempt_id = ledger.running(ledger.b, content="task")
    ledger.end(old, attempt_id, Cause.EXITED, reasoning="secret", partial_text="half")
    ledger.write(
        again,
        AgainCommand(
            key=ledger.key("turn.retry"), kind="retry", turn_id=old, actor_id=USER_WEB,
            roster=ledger.roster, limits=Limits(),
        ),
    )  # fmt: skip
    sent = ledger.send(ledger.c, content="never mind")
    ledger.write(
        withdraw,
        WithdrawCommand(
            key=ledger.key("message.withdraw"), message_event_id=sent.message_event_id,
            actor_id=USER_WEB,
        ),
    )  # fmt: skip
    watch = ledger.send(ledger.c, content="brief")
    ledger.conn.execute(
        "UPDATE events SET body_json = ? WHERE event_id = ?",
        ('{"content":"brief","kind":"supervision.watch"}', watch.message_event_id),
    )
    ledger.write(
        publish,
        PublishCommand(
            key=ledger.key("mcp.publish"), actor_id=USER_WEB, content="public",
            provenance=Provenance(source_kind="web"), limits=Limits(),
        ),
    )  # fmt: skip
    mine = inputs(ledger, ledger.queued(ledger.a))
    assert words(mine.transcript) == ["task", "public"]
    theirs = inputs(ledger, ledger.queued(ledger.b))
    assert words(theirs.transcript) == ["task", "task", "public", "hello"]


def test_a_retry_shows_whose_words_it_repeats(ledger):
    old, attempt_id = ledger.running(ledger.a, content="task")
    ledger.end(old, attempt_id, Cause.EXITED)
    answer = ledger.write(
        again,
        AgainCommand(
            key=ledger.key("turn.retry"), kind="retry", turn_id=old, actor_id=USER_WEB,
            roster=ledger.roster, limits=Limits(),
        ),
    )  # fmt: skip
    it = inputs(ledger, answer.turns[0].turn_id)
    assert (it.source.kind, it.source.content) == ("retry", "task")
    assert it.forwarded.event_id == it.source.forwarded_event_id
    assert it.forwarded.actor_id == USER_WEB


def test_the_reply_chain_is_whole(ledger):
    reply_to = None
    for number in range(6):
        done = ledger.completed(
            ledger.b, content=f"q{number}", response=f"r{number}", reply_to_event_id=reply_to
        )
        reply_to = done.response_event_id
    turn_id = ledger.queued(ledger.a, reply_to_event_id=reply_to)
    chain = inputs(ledger, turn_id).reply_chain
    assert words(chain) == [f"{kind}{number}" for number in range(6) for kind in "qr"]
    ended = done.terminal_event_id
    through_an_event = ledger.queued(ledger.a, reply_to_event_id=ended)
    assert words(inputs(ledger, through_an_event).reply_chain)[-1] == "q5"


def test_a_link_says_whether_the_very_session_has_it(ledger):
    def asked(content, actor=ledger.a, reply_to=None):
        return ledger.completed(
            actor, content=content, response=f"re {content}", reply_to_event_id=reply_to
        ).response_event_id

    first = asked("one")
    second = asked("two", ledger.b, first)
    ledger.bindings[ledger.a] = ledger.open_session(ledger.a, "second")
    turn_id = ledger.queued(reply_to_event_id=asked("three", reply_to=second))

    def known(session):
        return [it.content for it in inputs(ledger, turn_id, session).reply_chain if it.in_session]

    assert known(SESSION_A) == ["one", "re one"]
    assert known("second") == ["three", "re three"]
    assert known("native-agent:b-2") == [], "another agent's"
    assert known(None) == []


def test_all_of_a_chain_is_read_that_the_session_has(ledger, monkeypatch):
    monkeypatch.setattr(transcript_pages, "MAX_PAGE_EVENTS", 2)
    reply_to = None
    for number in range(5):
        reply_to = ledger.completed(
            content=f"q{number}" * 200, response=f"r{number}" * 200, reply_to_event_id=reply_to
        ).response_event_id
    turn_id = ledger.queued(reply_to_event_id=reply_to)
    chain = inputs(ledger, turn_id, SESSION_A, max_characters=900).reply_chain
    assert [it.characters or len(it.content) for it in chain] == [400] * 10
    assert chain[-1].content == ""
    other = inputs(ledger, turn_id, "another session", max_characters=900).reply_chain
    assert words(other) == ["q4" * 200, "r4" * 200]


def test_withdrawn_words_are_not_in_a_reply_chain_either(ledger):
    sent = ledger.send(ledger.c, content="never mind")
    ledger.write(
        withdraw,
        WithdrawCommand(
            key=ledger.key("message.withdraw"), message_event_id=sent.message_event_id,
            actor_id=USER_WEB,
        ),
    )  # fmt: skip
    turn_id = ledger.queued(reply_to_event_id=sent.message_event_id)
    (link,) = inputs(ledger, turn_id).reply_chain
    assert (link.withdrawn, link.content) == (True, "")


def test_unknown(ledger):
    with pytest.raises(GroupXError, match="NOT_FOUND"):
        inputs(ledger, "turn_none")
