"""The blocks that a compaction reads: what was said, whole, in order, and nothing else."""

import pytest
import trio

from groupx.actors.compaction_reading import Tail, compact_through, read_block
from groupx.domain.commands import AgainCommand, WithdrawCommand
from groupx.domain.compaction import BLOCK_CHARACTERS, MAX_ENTRY_CHARACTERS, BlockQuery
from groupx.domain.ids import MAIN_ROOM, USER_WEB
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.store.queries import compaction, transcript_pages
from groupx.store.queries.compaction import standing
from groupx.store.transactions.again import again
from groupx.store.transactions.withdraw import withdraw


class Reads:
    """Answers reads at once."""

    def __init__(self, conn):
        self.conn = conn

    async def ask(self, request):
        return request.run(self.conn, request.query)


def block(ledger, after=0, through=10_000):
    query = BlockQuery(room_id=MAIN_ROOM, after_seq=after, through_seq=through)
    return trio.run(read_block, Reads(ledger.conn), query)


def blocks(ledger, through):
    """All passes to that seq."""
    after, found = 0, []
    while after < through:
        found.append(block(ledger, after, through))
        assert found[-1].through_seq > after
        after = found[-1].through_seq
    return found


def newest(ledger):
    return ledger.row("SELECT max(seq) FROM events")[0]


def words(entries):
    return [entry.content for entry in entries]


def through(ledger, **tail):
    tail = Tail(**({"upper_seq": newest(ledger)} | tail))
    return trio.run(compact_through, Reads(ledger.conn), standing(ledger.conn, None), tail)


def test_only_what_was_said_is_in_it_and_each_once(ledger):
    turn_id, attempt_id = ledger.running(content="one")
    ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="two", reasoning="private")
    ledger.send(content="never mind")
    (taken_back,) = ledger.row(
        "SELECT event_id FROM events WHERE body_json LIKE '%never mind%' ORDER BY seq"
    )
    key = ledger.key("message.withdraw")
    withdrawn = WithdrawCommand(key=key, message_event_id=taken_back, actor_id=USER_WEB)
    ledger.write(withdraw, withdrawn)
    failed, attempt_id = ledger.running(content="three")
    ledger.end(failed, attempt_id, Cause.NATIVE_FAILED, error_code="NATIVE_TURN_FAILED")
    ledger.write(
        again,
        AgainCommand(
            key=ledger.key("turn.retry"),
            kind="retry",
            turn_id=failed,
            actor_id=USER_WEB,
            roster=ledger.roster,
            limits=Limits(),
        ),
    )
    it = block(ledger)
    assert words(it.entries) == ["one", "two", "three"]
    assert [entry.actor_id for entry in it.entries] == [USER_WEB, ledger.a, USER_WEB]


def test_blocks_follow_one_another_without_a_gap(ledger, monkeypatch):
    said = [f"{number} " + "x" * 9_000 for number in range(25)]
    for text in said:
        ledger.send(content=text)
        ledger.clock += 1
    monkeypatch.setattr(compaction, "MAX_PAGE_EVENTS", 3)
    monkeypatch.setattr(compaction, "PAGE_SEQS", 5)
    found = blocks(ledger, newest(ledger))
    assert [text for it in found for text in words(it.entries)] == said
    assert len(found) == 5
    for it in found:
        assert sum(map(len, words(it.entries))) <= BLOCK_CHARACTERS


def test_long_messages_count_by_what_is_shown_of_them(ledger):
    for number in range(6):
        ledger.send(content=f"{number}" + "y" * 100_000)
    found = blocks(ledger, newest(ledger))
    per_block = BLOCK_CHARACTERS // MAX_ENTRY_CHARACTERS
    assert [len(it.entries) for it in found] == [per_block, per_block]


def test_a_stretch_with_nothing_said_is_passed(ledger):
    ledger.send(content="one")
    for _ in range(20):
        turn_id = ledger.queued(ledger.b, content="x")
        ledger.cancel(turn_id)
    after = newest(ledger)
    assert words(block(ledger, after=0, through=after).entries) == ["one", *["x"] * 20]
    assert block(ledger, after=after, through=after + 5).entries == ()


@pytest.mark.parametrize("page", [1, 3, 200])
def test_the_newest_stay_word_for_word_as_far_as_the_bounds_go(ledger, monkeypatch, page):
    monkeypatch.setattr(transcript_pages, "MAX_PAGE_EVENTS", page)
    for number in range(15):
        ledger.send(content=f"{number:02}" + "x" * 98)
    at = [row[0] for row in ledger.rows("SELECT seq FROM events WHERE event_type LIKE '%created'")]
    assert through(ledger, messages=12) == at[2]
    assert through(ledger, messages=15) is None
    assert through(ledger, characters=0) == at[-1]
    assert through(ledger, characters=2 * (100 + 240)) == at[-3]
    assert through(ledger, characters=2 * (100 + 240) - 1) == at[-2]
    assert through(ledger, characters=0, upper_seq=at[4]) == at[4]
    assert through(ledger, characters=1_000_000) is None
