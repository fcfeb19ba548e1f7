"""Indexing what the search index does not know yet, slice by slice; and beginning it anew."""

import sqlite3

from groupx.domain.commands import CommandKey
from groupx.domain.search_page import Indexing
from groupx.store.command_rows import first_result, remember
from groupx.store.event_rows import load_json
from groupx.store.search_index import empty_index, keep_in_step
from groupx.store.search_rows import KINDS, Indexable, index_event
from groupx.store.search_untold import index_untold
from groupx.store.transaction import Transaction

SLICE_SEQS = 1_000
SLICE_CHARACTERS = 12_000
"""Of event bodies: about 8 ms of the writer; one text alone may be longer."""
SLICE_RECORDS = 40

_STATE = """
SELECT indexed_through_seq, (SELECT ifnull(max(seq), 0) FROM events) FROM search_state
"""
_MOVE = "UPDATE search_state SET indexed_through_seq = ?"
_EVENTS = f"""
SELECT e.seq, e.event_type, e.event_id, e.room_id, e.actor_id, e.occurred_at, e.body_json
FROM events e
WHERE e.seq > ? AND e.seq <= ? AND e.event_type IN {tuple(KINDS)}
  AND NOT EXISTS (SELECT 1 FROM events w WHERE w.room_id = e.room_id
    AND w.idempotency_key = 'message:' || e.event_id || ':withdrawn')
ORDER BY e.seq
"""


def index_slice(tx: Transaction, _: None) -> bool:
    """Index the next piece of the history; whether there is more.

    It may be asked for at any time, and again: nothing is indexed twice. The last event counts as
    indexed only once the records that no event tells of are. An index by other rules begins anew.
    """
    keep_in_step(tx.conn)
    done, total = tx.conn.execute(_STATE).fetchone()
    if done >= total:
        return False
    end = _index_events(tx.conn, done, min(done + SLICE_SEQS, total))
    if end == total and index_untold(tx.conn, SLICE_RECORDS) == SLICE_RECORDS:
        end = total - 1
    tx.conn.execute(_MOVE, (end,))
    return end < total


def reindex(tx: Transaction, key: CommandKey) -> Indexing:
    """Forget every document, so that all of the history is to be indexed; once per command.

    What is said from now on is indexed as ever.
    """
    known = first_result(tx, key)
    if known is not None:
        return Indexing(done=known["done"], total=known["total"])
    empty_index(tx.conn)
    done, total = tx.conn.execute(_STATE).fetchone()
    begun = Indexing(done=done, total=total)
    remember(tx, key, begun)
    return begun


def _index_events(conn: sqlite3.Connection, begin: int, end: int) -> int:
    """Index what was told after `begin`, up to `end` or a slice's worth; how far it got."""
    characters = 0
    for row in conn.execute(_EVENTS, (begin, end)):  # one by one: bodies may be long
        seq, event_type, event_id, room_id, actor_id, at, body = row
        event = Indexable(
            seq=seq, type=event_type, event_id=event_id, room_id=room_id, actor_id=actor_id,
            at=at, body=load_json(body),
        )  # fmt: skip
        index_event(conn, event)
        characters += len(body)
        if characters >= SLICE_CHARACTERS:
            return seq
    return end
