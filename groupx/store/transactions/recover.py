"""Recovery from the rows alone: first every unfinished turn is decided, then it is written.

What is left to an agent's own program is written by settle.py.
"""

from collections import Counter
from typing import Any

import attrs

from groupx.domain.aftermath import AGENT_GONE, aftermath
from groupx.domain.attempts import INVOKED, PREPARED, DeliveryCertainty, Reconciliation
from groupx.domain.ids import ActorId
from groupx.domain.ledger import OpenAttempt, Recovered, TerminalCommand, TurnOf
from groupx.domain.outcomes import Cause
from groupx.domain.recovery import Unfinished, Verdict, verdict
from groupx.domain.runs import RecoverLane, RecoverQuery
from groupx.domain.turns import TurnStatus
from groupx.process.killing import passed
from groupx.store.attempt_rows import open_attempt, open_state
from groupx.store.claim_rows import forget_waiting_calls
from groupx.store.ending import end_turn
from groupx.store.serving import serve
from groupx.store.transaction import Transaction
from groupx.store.transactions.requeue import put_back
from groupx.store.turn_rows import get_turn

_UNFINISHED = """
SELECT t.turn_id, t.target_actor_id, t.adapter_id, t.transport, t.status,
  a.attempt_id, a.dispatch_phase, a.delivery_certainty, a.binding_id, a.native_turn_id,
  b.native_session_id, t.partial_text
FROM turns t
LEFT JOIN turn_attempts a ON a.turn_id = t.turn_id AND a.terminal_at IS NULL
LEFT JOIN session_bindings b ON b.binding_id = a.binding_id
WHERE t.status IN ('queued', 'dispatching', 'running', 'cancelling')
"""
_ALL = _UNFINISHED + " ORDER BY t.target_actor_id, t.enqueue_seq"
_LANE = _UNFINISHED + " AND t.target_actor_id = ? ORDER BY t.enqueue_seq"

_NEWEST = "SELECT ifnull(max(seq), 0) FROM events"

_END_INSTANCES = """
UPDATE agent_instances SET process_ended_at = ?, status = 'interrupted'
WHERE process_ended_at IS NULL AND actor_id IN (SELECT actor_id FROM actors WHERE kind = 'agent')
"""
_CLOSE_BINDINGS = """
UPDATE session_bindings SET closed_at = ?, status = 'interrupted'
WHERE closed_at IS NULL AND actor_id IN (SELECT actor_id FROM actors WHERE kind = 'agent')
"""
_END_INSTANCES_OF = """
UPDATE agent_instances SET process_ended_at = :now, status = 'interrupted'
WHERE process_ended_at IS NULL AND instance_id IS NOT :alive AND instance_id IN
  (SELECT instance_id FROM session_bindings WHERE actor_id = :actor AND status = 'ready')
"""
_CLOSE_BINDINGS_OF = """
UPDATE session_bindings SET closed_at = :now, status = 'interrupted'
WHERE actor_id = :actor AND status = 'ready' AND closed_at IS NULL AND instance_id IS NOT :alive
"""

_CAUSES = {
    Verdict.AGENT_GONE: (
        Cause.AGENT_GONE,
        AGENT_GONE,
    ),
    Verdict.OTHER_TRANSPORT: (
        Cause.OTHER_TRANSPORT,
        "This was accepted for another transport than this run uses; it was never sent. Retry it.",
    ),
    Verdict.CANCEL: (Cause.CANCELLED, None),
    Verdict.INTERRUPT: (
        Cause.DAEMON_KILLED,
        "GroupX ended while an agent had this turn, and cannot tell how it went on.",
    ),
}


@attrs.frozen
class _Case:
    """One unfinished turn and what is to become of it."""

    verdict: Verdict
    turn_id: str
    target_actor_id: ActorId
    open_attempt: OpenAttempt | None


def recover_all(tx: Transaction, query: RecoverQuery) -> Recovered:
    """Phase 1, before anything else of this run: close what the last run left open.

    What an agent's own program can still tell is left in `undecided`, its lane busy. Doing it
    again changes nothing.
    """
    forget_waiting_calls(tx)
    serve(tx, query.roster)
    cases = _all_cases(tx, query)
    tx.conn.execute(_END_INSTANCES, (tx.now,))
    tx.conn.execute(_CLOSE_BINDINGS, (tx.now,))
    recovered = _write(tx, cases)
    # What was closed may have called back somebody whom this run does not serve either.
    refused = (Verdict.AGENT_GONE, Verdict.OTHER_TRANSPORT)
    late = _write(tx, [case for case in _all_cases(tx, query) if case.verdict in refused])
    failed = recovered.failed + late.failed
    return attrs.evolve(recovered, failed=failed, through_seq=late.through_seq)


def recover_lane(tx: Transaction, lane: RecoverLane) -> Recovered:
    """The same for one agent whose actor crashed or cannot know what became of its claim."""
    rows = tx.conn.execute(_LANE, (lane.actor_id,)).fetchall()
    cases = [
        _case(row, in_roster=True, transport=lane.transport, reconcilable=lane.reconcilable)
        for row in rows
    ]
    gone = {"now": tx.now, "actor": lane.actor_id, "alive": lane.alive}
    tx.conn.execute(_END_INSTANCES_OF, gone)
    tx.conn.execute(_CLOSE_BINDINGS_OF, gone)
    return _write(tx, cases)


def _all_cases(tx: Transaction, query: RecoverQuery) -> list[_Case]:
    return [
        _case(
            row,
            in_roster=row[1] in query.roster,
            transport=query.transport,
            reconcilable=query.reconcilable,
        )
        for row in tx.conn.execute(_ALL).fetchall()
    ]


def _case(
    row: tuple[Any, ...], *, in_roster: bool, transport: str, reconcilable: frozenset[str]
) -> _Case:
    (
        turn_id, actor_id, adapter_id, own_transport, status,
        attempt_id, phase, certainty, binding_id, native_turn_id, native_session_id, partial,
    ) = row  # fmt: skip
    state = open_state(phase, certainty) if phase else None
    decided = verdict(
        Unfinished(
            status=TurnStatus(status),
            attempt=state,
            in_roster=in_roster,
            same_transport=own_transport == transport,
            reconcilable=adapter_id in reconcilable,
        )
    )
    attempt = state and OpenAttempt(
        turn_id=turn_id,
        attempt_id=attempt_id,
        target_actor_id=actor_id,
        status=TurnStatus(status),
        phase=state[0],
        certainty=state[1],
        binding_id=binding_id,
        native_session_id=native_session_id,
        native_turn_id=native_turn_id,
        partial_text=partial,
    )
    return _Case(decided, turn_id, actor_id, attempt)


def _write(tx: Transaction, cases: list[_Case]) -> Recovered:
    counts: Counter[str] = Counter()
    undecided: list[OpenAttempt] = []
    cut_short: list[TurnOf] = []
    for case in cases:
        tx.wake_lane(case.target_actor_id)
        if case.verdict in (Verdict.RECONCILE, Verdict.INTERRUPT):
            cut_short.append(TurnOf(turn_id=case.turn_id, target_actor_id=case.target_actor_id))
        if case.verdict is Verdict.RECONCILE and case.open_attempt:
            undecided.append(case.open_attempt)
        elif case.verdict is not Verdict.KEEP:
            counts.update(_carry_out(tx, case))
            passed("recovery.phase1")
    return Recovered(
        requeued=counts[TurnStatus.QUEUED],
        interrupted=counts[TurnStatus.INTERRUPTED],
        delivery_unknown=counts[DeliveryCertainty.UNKNOWN],
        cancelled=counts[TurnStatus.CANCELLED],
        failed=counts[TurnStatus.FAILED],
        undecided=tuple(undecided),
        cut_short=tuple(cut_short),
        through_seq=tx.conn.execute(_NEWEST).fetchone()[0],
    )


def _carry_out(tx: Transaction, case: _Case) -> list[str]:
    """Write one decision; what it counts as."""
    turn = get_turn(tx.conn, case.turn_id)
    attempt = open_attempt(tx.conn, case.turn_id)
    if case.verdict is Verdict.REQUEUE and attempt:
        return [put_back(tx, turn, attempt)]
    cause, message = _CAUSES[case.verdict]
    certainty = case.open_attempt and case.open_attempt.certainty
    delivered = certainty is DeliveryCertainty.DELIVERED
    if cause is Cause.DAEMON_KILLED:
        message = f"{message} {aftermath(delivered=delivered)}"
        if attempt and attempt.state == PREPARED:  # what its turn shows says that it was sent
            attempt = attrs.evolve(attempt, state=INVOKED)
    end = TerminalCommand(
        turn_id=turn.turn_id,
        attempt_id=attempt and attempt.attempt_id,
        cause=cause,
        message=message,
        reconciliation=Reconciliation.UNSUPPORTED
        if cause is Cause.DAEMON_KILLED
        else Reconciliation.NONE,
    )
    counted: list[str] = [end_turn(tx, turn, attempt, end).status]
    if cause is Cause.DAEMON_KILLED and not delivered:
        counted.append(DeliveryCertainty.UNKNOWN)
    return counted
