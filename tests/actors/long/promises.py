"""What must hold of the long room, whatever its golden record says."""

import sqlite3
from collections import Counter, defaultdict

from groupx.domain.ids import USER_WEB, ActorId
from tests.actors.long.cast import D, Told, in_all
from tests.actors.long.record import DATED
from tests.actors.long.teller import SAID, Said, Teller

_TAKEN_BACK = """
SELECT json_extract(body_json, '$.messageEventId'), occurred_at FROM events
WHERE event_type = 'message.withdrawn'
"""
_CHECKPOINTS = "SELECT from_seq, through_seq, created_at, content FROM summaries"
_SOURCES = """
SELECT actor_id, local_date, source_event_id, response_event_id, memory_id IS NOT NULL,
  processed_at IS NOT NULL, coalesce(skipped_reason, '') FROM agent_dated_memory_sources
"""
_DAYS = """
SELECT s.local_date, substr(said.occurred_at, 1, 10), substr(s.terminal_at, 1, 10)
FROM agent_dated_memory_sources s JOIN events said ON said.event_id = s.source_event_id
"""
_INVOKED = """
SELECT target_actor_id, source_event_id FROM turn_attempts JOIN turns USING (turn_id)
WHERE prompt_invoked_at IS NOT NULL
"""


def transcript_is_as_it_was_said(conn: sqlite3.Connection, it: Teller) -> None:
    """Every message, byte for byte, at the seq at which it was heard; and none beside them."""
    kept: list[Said] = conn.execute(SAID, (0,)).fetchall()
    assert kept == it.heard
    assert [(name, text) for _, name, author, text in kept if author == USER_WEB] == it.spoken
    answers: dict[str, list[str]] = defaultdict(list)
    for _, _, author, text in kept:
        answers[author].append(text)
    del answers[USER_WEB]
    assert answers == it.cast.answers


def every_checkpoint_tells_of_all(conn: sqlite3.Connection) -> None:
    """As many messages as stood between its seqs, each once, in however many passes."""
    gone = dict(conn.execute(_TAKEN_BACK))
    said = [(seq, gone.get(event_id)) for seq, event_id, _, _ in conn.execute(SAID, (0,))]
    for first, last, at, content in conn.execute(_CHECKPOINTS):
        stood = [seq for seq, end in said if first <= seq <= last and (end is None or end >= at)]
        assert in_all(content) == len(stood), content


def every_turn_is_remembered_once(conn: sqlite3.Connection, it: Teller) -> None:
    """But those of the agent that is excluded and those that a reset found waiting: they are in no
    memory."""
    shown = Counter(
        pair for batch in it.cast.remembered for pair in zip(batch[::2], batch[1::2], strict=True)
    )
    days: Counter[tuple[str, str]] = Counter()
    sources = conn.execute(_SOURCES).fetchall()
    for actor_id, day, source, response, *end in sources:
        reason = "policy_excluded" if actor_id == D else end[-1]
        remembered = not reason
        assert end == [remembered, remembered, reason]
        assert reason in ("", "policy_excluded", "reset")
        assert shown.pop((source, response), 0) == remembered
        if remembered:
            days[actor_id, day] += 1
    assert not shown
    completed = "SELECT count(*) FROM turns WHERE status = 'completed'"
    assert conn.execute(completed).fetchone() == (len(sources),)
    active = [row for row in conn.execute(DATED) if row[2] == "active"]
    assert {(actor, day): in_all(text) for actor, day, _, text in active} == days
    assert len(active) == len(days)


def a_turn_belongs_to_the_day_of_its_end(conn: sqlite3.Connection) -> None:
    """Two began before midnight and ended after it."""
    days = conn.execute(_DAYS).fetchall()
    assert all(day == ended for day, _, ended in days)
    assert sum(day != said for day, said, _ in days) == 2
    assert {day for day, _, _ in days} == {"2026-02-02", "2026-02-03", "2026-02-04"}


def no_prompt_was_sent_twice(conn: sqlite3.Connection, it: Teller) -> None:
    """In no life: each turn's prompt left once, and the ledger knew of it; no turn is open."""
    sent = Counter((told.actor_id, told.source_id) for told in it.cast.told)
    assert set(sent.values()) == {1}
    assert Counter(conn.execute(_INVOKED).fetchall()) == sent
    assert conn.execute("SELECT 1 FROM turns WHERE terminal_event_id IS NULL").fetchall() == []


def nobody_missed_anything(conn: sqlite3.Connection, it: Teller) -> None:
    """What was said before a turn is in its packet or in the checkpoint there, or its agent was
    told before, or a reset gave it up."""
    gone = dict(conn.execute(_TAKEN_BACK))
    said = [(seq, author) for seq, name, author, _ in conn.execute(SAID, (0,)) if name not in gone]
    resets = [seq for (seq,) in conn.execute("SELECT through_seq FROM context_resets")]
    knows: dict[ActorId, set[int]] = defaultdict(set)
    for told in it.cast.told:
        floor = max((seq for seq in resets if seq < told.source_seq), default=0)
        knows[told.actor_id] |= told.seqs
        knows[told.actor_id] |= _given(said, told, max(floor, told.covered_seq))
        missed = _given(said, told, told.source_seq) - knows[told.actor_id]
        assert not missed, (told.actor_id, told.source_seq, min(missed))


def _given(said: list[tuple[int, str]], told: Told, through: int) -> set[int]:
    """What others than the agent had said by then."""
    return {seq for seq, author in said if seq <= through and author != told.actor_id}
