"""No statement on a hot path reads a whole table that grows with the room's history."""

import re

import attrs
import pytest

from groupx.domain.commands import AgainCommand, PublishCommand, WithdrawCommand
from groupx.domain.compaction import BlockQuery, SwapCheckpoint
from groupx.domain.completion import ClaimInline, ReleaseInline
from groupx.domain.context_reset import ResetContext
from groupx.domain.context_usage import RecordUsage, Usage
from groupx.domain.envelope import Provenance
from groupx.domain.errors import RecordedRefusal
from groupx.domain.ids import SYSTEM, USER_WEB
from groupx.domain.ledger import Progress
from groupx.domain.limits import Limits
from groupx.domain.memory_commands import MemoryQuery
from groupx.domain.memory_policy import PolicyQuery, SetPolicy
from groupx.domain.outcomes import Cause
from groupx.domain.packet_inputs import ChainQuery, PacketQuery, SaidQuery
from groupx.domain.packet_relevant import RelevantQuery
from groupx.domain.pages import BootstrapQuery, EventsAfter, HistoryQuery
from groupx.domain.receipts import ReceiptQuery
from groupx.domain.rollup import DayKey, FailBatch, FinishBatch
from groupx.domain.runs import CloseInstance, OpenRun, RecoverLane, RecoverQuery
from groupx.domain.search_page import SearchQuery
from groupx.domain.watching import ObserveCommand, WatchQuery
from groupx.store import search_untold
from groupx.store.queries.bootstrap import bootstrap
from groupx.store.queries.compaction import block_page, standing
from groupx.store.queries.context_size import SizeQuery, context_start, said_size
from groupx.store.queries.context_usage import usage_by_source
from groupx.store.queries.events_after import events_after
from groupx.store.queries.history import history
from groupx.store.queries.lane import lane_head, lane_views
from groupx.store.queries.memories import memories
from groupx.store.queries.memory_policy import read_policy
from groupx.store.queries.packet_inputs import packet_head
from groupx.store.queries.receipts import input_receipts
from groupx.store.queries.relevant import relevant
from groupx.store.queries.rollups import DaysQuery, batch_pairs, dated_days, pending_days
from groupx.store.queries.search import search
from groupx.store.queries.sessions import last_session, was_prompted
from groupx.store.queries.transcript_pages import answers_page, chain_page, said_page
from groupx.store.queries.turn_detail import turn_detail
from groupx.store.queries.watch import watch_state
from groupx.store.session_era import session_era
from groupx.store.transactions import index_slice, recover, rollup_recovery
from groupx.store.transactions.again import again
from groupx.store.transactions.bindings import close_instance, open_run
from groupx.store.transactions.checkpoint import swap_checkpoint
from groupx.store.transactions.completion import claim_inline, release_inline
from groupx.store.transactions.context_reset import reset_context
from groupx.store.transactions.context_usage import record_usage
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.observe import observe
from groupx.store.transactions.progress import progress
from groupx.store.transactions.publish import publish
from groupx.store.transactions.recover import recover_all, recover_lane
from groupx.store.transactions.requeue import requeue
from groupx.store.transactions.rollup import begin_batch, fail_batch, finish_batch
from groupx.store.transactions.withdraw import replace, withdraw
from groupx.store.usage_rows import context_renewed
from tests.store.pairs import Pair
from tests.store.queries.tools_asking import exercise_tools
from tests.store.records import Notes

SMALL = {"actors", "rooms", "CONSTANT", "context_resets", "search_state", "json_each"}
"""Tables that do not grow with what is said, and what is no table."""
SHORT = {"turns_open_target_idx"}
"""Indexes of what is open only."""
ONCE = {
    recover._END_INSTANCES, recover._CLOSE_BINDINGS, rollup_recovery._LEFT_BEGUN,
    rollup_recovery._MISSING, rollup_recovery._MISCOUNTED, search_untold._UNTOLD,
}  # fmt: skip
"""What only a start or the end of an indexing asks, of rows an older program may have left."""

MATCHED = re.compile(r"SCAN (search_fts|temp.search_words) VIRTUAL TABLE INDEX (\d+:\S*M|6:)")
"""Read by words, or words between two: as much as there are hits, and no more."""
GUARDED = re.compile(r"\s*INSERT .*INTO (agent_instances|session_bindings|memory_records)")
"""Their triggers make SQLite plan a look at the rows that refer to them, which it skips as long
as no foreign key is violated."""


class Spy:
    """A connection that remembers what was asked of it."""

    def __init__(self, conn):
        self._conn = conn
        self.asked = {}

    def execute(self, sql, values=()):
        self.asked.setdefault(sql, values)
        return self._conn.execute(sql, values)

    def __getattr__(self, name):
        return getattr(self._conn, name)


def exercise(ledger):
    """Every transaction and query at least once, along each of its branches that asks."""
    exercise_tools(ledger)
    exercise_policies(ledger)
    exercise_memories(ledger)
    exercise_rollups(ledger)
    exercise_search(ledger)
    exercise_claims(ledger)
    exercise_supervision(ledger)
    done = ledger.completed(reply_to_event_id=ledger.send(ledger.b).message_event_id)
    parent, attempt_id = ledger.running(content="x")
    ledger.call(parent, ledger.a, ledger.b, ledger.c)
    ledger.write(progress, Progress(turn_id=parent, text="x"))
    ledger.cancel(parent)
    ledger.end(parent, attempt_id, Cause.CANCELLED)
    kept = {"roster": ledger.roster, "limits": Limits(), "actor_id": USER_WEB}
    retry = AgainCommand(key=ledger.key("turn.retry"), kind="retry", turn_id=parent, **kept)
    turn_id = ledger.write(again, retry).turns[0].turn_id
    ledger.claim(turn_id, invoke=False)
    ledger.write(requeue, turn_id)
    for run in (withdraw, replace):
        event_id = ledger.send(ledger.c).message_event_id
        key = ledger.key("message.replace")
        command = WithdrawCommand(key=key, message_event_id=event_id, replacement="y", **kept)
        ledger.write(run, command)
        ledger.write(run, command)
    ledger.write(
        publish,
        PublishCommand(
            key=ledger.key("mcp.publish"), actor_id=USER_WEB, content="c", limits=Limits(),
            provenance=Provenance(source_kind="web"),
        ),
    )  # fmt: skip
    ledger.write(set_lane, ledger.lane("paused"))
    for room in (None, "room:main"):
        bootstrap(ledger.conn, BootstrapQuery(room_id=room))
        history(ledger.conn, HistoryQuery(room_id=room))
        history(ledger.conn, HistoryQuery(room_id=room, after_seq=0))
        history(ledger.conn, HistoryQuery(around=event_id))
        events_after(ledger.conn, EventsAfter(after_seq=0, room_id=room))
    input_receipts(ledger.conn, ReceiptQuery(source_event_id="e"))
    input_receipts(ledger.conn, ReceiptQuery(source_event_id="e", target_actor_id=ledger.a))
    usage_by_source(ledger.conn, None)
    exercise_context(ledger)
    lane_views(ledger.conn, None)
    lane_head(ledger.conn, ledger.a)
    turn_detail(ledger.conn, done.turn_id)
    packet_head(ledger.conn, PacketQuery(turn_id=turn_id, native_session_id="s"))
    last_session(ledger.conn, ledger.a)
    was_prompted(ledger.conn, ledger.a)
    said_page(
        ledger.conn,
        SaidQuery(room_id="room:main", target_actor_id=ledger.a, lower_seq=0, upper_seq=9),
    )
    answers_page(
        ledger.conn,
        SaidQuery(room_id="room:main", target_actor_id=ledger.a, lower_seq=0, upper_seq=9),
    )
    chain_page(
        ledger.conn,
        ChainQuery(
            target_actor_id=ledger.a,
            native_session_id="native-agent:a-1",
            event_id=done.response_event_id,
            before_seq=99,
        ),
    )
    ledger.write(close_instance, CloseInstance(instance_id="instance_2"))
    ledger.write(recover_lane, RecoverLane(actor_id=ledger.a))
    ledger.write(recover_all, RecoverQuery(roster=frozenset({ledger.a})))


def exercise_context(ledger):
    session_era(ledger.conn, None)
    context_start(ledger.conn, None)
    whole = SizeQuery(room_id="room:main", base_seq=0, after_seq=0, through_seq=999)
    said_size(ledger.conn, whole)
    block_page(ledger.conn, BlockQuery(room_id="room:main", after_seq=0, through_seq=9))
    assert standing(ledger.conn, None).summary is None
    swap = SwapCheckpoint(
        room_id="room:main", previous_id=None, from_seq=1, through_seq=1, content="x",
        generator_actor_id=ledger.a, prompt_characters=1, read_seq=999,
    )  # fmt: skip
    first = ledger.write(swap_checkpoint, swap)
    event_id = ledger.send(ledger.c).message_event_id
    more = attrs.evolve(swap, previous_id=first, through_seq=999)
    ledger.write(swap_checkpoint, more)
    key = ledger.key("message.withdraw")
    command = WithdrawCommand(key=key, message_event_id=event_id, actor_id=USER_WEB)
    ledger.write(withdraw, command)
    assert standing(ledger.conn, None).summary.summary_id == first
    key = ledger.key("context.reset")
    reset = ResetContext(key=key, by=USER_WEB, reset_native_sessions=True)
    ledger.write(reset_context, reset)


def exercise_policies(ledger):
    ledger.completed(ledger.c)
    for actor in (ledger.c, SYSTEM):
        command = SetPolicy(
            key=ledger.key("memory.policy"), by=USER_WEB, actor_id=actor, expected_revision=0,
            use_memories=True, generation="disabled",
        )  # fmt: skip
        ledger.write(set_policy, command)
    ledger.write(open_run, OpenRun(agents={"agent:d": "Dee"}))
    read_policy(ledger.conn, PolicyQuery(actor_id=ledger.c))
    turn_id = ledger.queued(ledger.c)
    attempt_id = ledger.claim(turn_id, packet_characters=5).attempt_id
    told = Usage(context_used=5)
    ledger.end(turn_id, attempt_id, Cause.COMPLETED, response="x", usage=told)
    side = RecordUsage(actor_id=ledger.c, source="rollup", tracker="packet", characters=1)
    ledger.write(record_usage, side)
    ledger.write(context_renewed, "room:main")
    ledger.bindings[ledger.c] = ledger.open_session(ledger.c)


def exercise_memories(ledger):
    notes = Notes(ledger)
    source = ledger.completed(ledger.c).response_event_id
    (correlation,) = ledger.row("SELECT correlation_id FROM events WHERE event_id = ?", source)
    look = RelevantQuery(turn_id=ledger.completed(ledger.b).turn_id, tokens=("wet",))
    for command in (
        notes.memory(layer="correlation", owner=correlation, source_event_id=source),
        notes.memory(layer="core", owner=ledger.a),
        notes.memory(),
    ):
        record = notes.keep(command).record
        memories(ledger.conn, MemoryQuery(words="wet", history=True, before=record.memory_id))
        relevant(ledger.conn, look)
        record = notes.replace(record.memory_id).record
        notes.retract(record.memory_id)
    record = notes.keep(notes.identity(ledger.a, content="wet")).record
    relevant(ledger.conn, look)
    record = notes.replace(record.identity_id, family="identity").record
    notes.retract(record.identity_id, family="identity")


def exercise_rollups(ledger):
    key = DayKey(room_id="room:main", actor_id=ledger.b, local_date="2026-02-02")
    ledger.completed(ledger.b)
    ledger.conn._conn.execute(
        "UPDATE agent_dated_memory_rollups SET pending_chars = 7 WHERE pending_turns > 0"
    )
    ledger.write(rollup_recovery.recover_rollups, None)
    for content in ("a day", "a longer day", None):
        ledger.completed(ledger.b)
        assert pending_days(ledger.conn, (ledger.a, ledger.b))
        batch = ledger.write(begin_batch, key)
        ledger.write(fail_batch, FailBatch(batch=batch, code="ADAPTER_EXITED"))
        batch = ledger.write(begin_batch, key)
        batch_pairs(ledger.conn, batch)
        done = FinishBatch(batch=batch, content=content, prompt_characters=1)
        ledger.write(finish_batch, done)
    dated_days(ledger.conn, DaysQuery(actor_id=ledger.b))


def exercise_search(ledger):
    for text in ("word", "to:a has:code has:history from:web before:2030-01-01 after:2000-01-01"):
        for cursor in (None, 9):
            search(ledger.conn, SearchQuery(text=text, cursor=cursor))
    search(ledger.conn, SearchQuery(text="word", all_rooms=True))
    ledger.write(index_slice.reindex, ledger.key("search.reindex"))
    while ledger.write(index_slice.index_slice, None):
        pass


def exercise_claims(ledger):
    parent, _ = ledger.running(ledger.c)
    children = ledger.call(parent, ledger.c, ledger.a, ledger.b, wake_me=True).turns
    both = {"child_turn_ids": tuple(turn.turn_id for turn in children), "by_turn_id": parent}
    ledger.cancel(children[0].turn_id)
    ledger.write(claim_inline, ClaimInline(**both))
    ledger.write(release_inline, ReleaseInline(**both))
    ledger.limits = Limits(hop_count=0)
    ledger.cancel(children[1].turn_id)


def exercise_supervision(ledger):
    ledger.limits = Limits()
    pair = Pair(ledger)
    query = WatchQuery(watch_turn_id=pair.watch, actor_id=ledger.b, after_seq=1)
    snapshot = watch_state(ledger.conn, query).snapshot
    key = ledger.key("mcp.watch", binding=ledger.bindings[ledger.b])
    command = ObserveCommand(
        key=key, actor_id=ledger.b, watch_turn_id=pair.watch, until="terminal", timed_out=True,
        snapshot=snapshot,
    )  # fmt: skip
    ledger.write(observe, command)
    following = pair.steer("interrupt").next_turn.turn_id
    with pytest.raises(RecordedRefusal):
        pair.steer(subject_turn_id=pair.subject, limits=Limits(steers_per_subject_turn=1))
    ledger.cancel(following)
    pair.end(pair.subject, Cause.CANCELLED)
    pair.end(pair.watch)


def is_short(sql, name, index):
    """Whether a scan ends soon: of a small table, of open turns only, or at a LIMIT along an index
    that no filter which can be off defeats."""
    table = re.search(rf"(?:FROM|JOIN) (\w+) {name}\b", sql)
    if (table[1] if table else name) in SMALL or index in SHORT:
        return True
    return index is not None and "LIMIT" in sql and "IS NULL OR" not in sql


def test_growing_tables_are_only_read_by_index(ledger):
    spy = Spy(ledger.conn)
    ledger.conn = spy
    exercise(ledger)
    scans = []
    for sql, values in spy.asked.items():
        read = sql.lstrip().upper().startswith(("SELECT", "UPDATE", "INSERT"))
        if not read or sql in ONCE or GUARDED.match(sql):
            continue
        for *_, detail in spy._conn.execute("EXPLAIN QUERY PLAN " + sql, values):
            if MATCHED.match(detail):
                continue
            found = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", detail)
            if found and not is_short(sql, *found.groups()):
                scans.append((detail, sql))
    assert len(spy.asked) > 150
    assert scans == []
