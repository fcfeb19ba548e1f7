"""No statement on a hot path reads a whole table that grows with the room's history."""

import re

from groupx.domain.commands import AgainCommand, PublishCommand, WithdrawCommand
from groupx.domain.envelope import Provenance
from groupx.domain.ids import USER_WEB
from groupx.domain.ledger import Progress
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.packet_inputs import ChainQuery, PacketQuery, SaidQuery
from groupx.domain.pages import BootstrapQuery, EventsAfter, HistoryQuery
from groupx.domain.runs import RecoverLane, RecoverQuery
from groupx.store.queries.bootstrap import bootstrap
from groupx.store.queries.events_after import events_after
from groupx.store.queries.history import history
from groupx.store.queries.lane import lane_head
from groupx.store.queries.packet_inputs import packet_head
from groupx.store.queries.transcript_pages import chain_page, said_page
from groupx.store.queries.turn_detail import turn_detail
from groupx.store.transactions.again import again
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.progress import progress
from groupx.store.transactions.publish import publish
from groupx.store.transactions.recover import recover_all, recover_lane
from groupx.store.transactions.requeue import requeue
from groupx.store.transactions.withdraw import replace, withdraw

SMALL = {"actors", "rooms", "agent_instances", "session_bindings", "CONSTANT", "context_resets"}
"""Tables that do not grow with what is said, and what is no table."""


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
        events_after(ledger.conn, EventsAfter(after_seq=0, room_id=room))
    lane_head(ledger.conn, ledger.a)
    turn_detail(ledger.conn, done.turn_id)
    packet_head(ledger.conn, PacketQuery(turn_id=turn_id, native_session_id="s"))
    said_page(
        ledger.conn,
        SaidQuery(room_id="room:main", target_actor_id=ledger.a, lower_seq=0, upper_seq=9),
    )
    chain_page(
        ledger.conn,
        ChainQuery(target_actor_id=ledger.a, event_id=done.response_event_id, before_seq=99),
    )
    ledger.write(recover_lane, RecoverLane(actor_id=ledger.a))
    ledger.write(recover_all, RecoverQuery(roster=frozenset({ledger.a})))


def test_growing_tables_are_only_read_by_index(ledger):
    spy = Spy(ledger.conn)
    ledger.conn = spy
    exercise(ledger)
    scans = []
    for sql, values in spy.asked.items():
        if not sql.lstrip().upper().startswith(("SELECT", "UPDATE", "INSERT")):
            continue
        for *_, detail in spy._conn.execute("EXPLAIN QUERY PLAN " + sql, values):
            found = re.match(r"SCAN (\w+)(?! USING (COVERING )?INDEX)", detail)
            if found and found[1] not in SMALL and not re.search("USING .*INDEX", detail):
                scans.append((detail, sql))
    assert len(spy.asked) > 60
    assert scans == []
