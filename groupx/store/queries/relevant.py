"""The active records that a turn's words are found in, of those that its target may know."""

import itertools
import sqlite3

from groupx.domain.memory_policy import DEFAULT_POLICY
from groupx.domain.packet_memories import Kept
from groupx.domain.packet_relevant import Relevant, RelevantQuery
from groupx.domain.search_records import any_of
from groupx.store.policy_rows import find_policy
from groupx.store.queries.packet_memories import ONE_IDENTITY, ONE_MEMORY, kept_from
from groupx.store.queries.search import indexing
from groupx.store.turn_rows import get_turn

MOST = 50
COMMON = 500
"""Records with a word; of one that is in more, nobody learns what a message is about."""
RANKED = 2_000
"""Records that are weighed against each other: the rarest words are in no more."""
_HOW_MANY = "SELECT count(*) FROM (SELECT 1 FROM search_fts WHERE search_fts MATCH ? LIMIT ?)"
_BEST = """
SELECT d.kind, d.ref_id FROM search_fts
CROSS JOIN search_docs d ON d.doc_id = search_fts.rowid
WHERE search_fts MATCH :expression AND (
  d.kind = 'memory' AND EXISTS (
    SELECT 1 FROM memory_records m WHERE m.memory_id = d.ref_id AND m.status = 'active' AND (
      m.scope_type = 'room' AND m.scope_id = :room
      OR m.scope_type = 'correlation' AND m.scope_id IN (:correlation, :root)
      OR m.scope_type = 'agent' AND m.scope_id = :target))
  OR d.kind = 'identity' AND EXISTS (
    SELECT 1 FROM identity_records i WHERE i.identity_id = d.ref_id AND i.status = 'active'))
ORDER BY search_fts.rank, d.doc_id DESC LIMIT :most
"""
"""Identities of everybody: any agent may read them."""


def relevant(conn: sqlite3.Connection, query: RelevantQuery) -> Relevant:
    """The best matches first; none where the target's policy wants no memories. NOT_FOUND."""
    turn = get_turn(conn, query.turn_id)
    policy = find_policy(conn, turn.room_id, turn.target_actor_id) or DEFAULT_POLICY
    if not policy.use_memories:
        return Relevant()
    failed = indexing(conn) is not None
    tokens = _rarest(conn, query.tokens)
    if not tokens:
        return Relevant(failed=failed)
    values = {
        "expression": any_of(tokens),
        "room": turn.room_id,
        "correlation": turn.correlation_id,
        "root": turn.root_correlation_id,
        "target": turn.target_actor_id,
        "most": MOST,
    }
    found = conn.execute(_BEST, values).fetchall()
    kept = tuple(_kept(conn, kind, record_id) for kind, record_id in found)
    return Relevant(kept=kept, failed=failed)


def _rarest(conn: sqlite3.Connection, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Those that records have, but not too many of them; the rarest first, within bounds."""
    counted = sorted((_count(conn, token), token) for token in tokens)
    telling = [(count, token) for count, token in counted if 0 < count <= COMMON]
    sums = itertools.accumulate(count for count, _ in telling)
    return tuple(token for (_, token), sum_ in zip(telling, sums, strict=True) if sum_ <= RANKED)


def _count(conn: sqlite3.Connection, token: str) -> int:
    """How many records have it, up to one more than too many."""
    return conn.execute(_HOW_MANY, (any_of((token,)), COMMON + 1)).fetchone()[0]


def _kept(conn: sqlite3.Connection, kind: str, record_id: str) -> Kept:
    one = ONE_MEMORY if kind == "memory" else ONE_IDENTITY
    return kept_from(conn.execute(one, (record_id,)).fetchone())
