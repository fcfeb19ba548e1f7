"""The one way a turn gets its terminal state, whoever brings it about."""

from typing import Any

import attrs

from groupx.domain.aftermath import AGENT_GONE
from groupx.domain.attempts import (
    PREPARED,
    AttemptEvent,
    DeliveryCertainty,
    next_attempt_state,
)
from groupx.domain.endings import END_STATUS, certainty_without_attempt, steps_to_end
from groupx.domain.envelope import Envelope
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.event_types import TERMINAL_EVENT_OF
from groupx.domain.ledger import TerminalCommand, Terminated
from groupx.domain.outcomes import ENDINGS, PROVES_DELIVERY, Cause
from groupx.domain.turns import TurnEvent, TurnStatus, next_status
from groupx.store.attempt_rows import AttemptRow, close_attempt
from groupx.store.callbacks import ChildEnd, settle_claim
from groupx.store.dated_sources import register_source
from groupx.store.starting import enter_started
from groupx.store.supervision_rows import is_interrupted
from groupx.store.transaction import Transaction
from groupx.store.turn_events import by_agent, by_system
from groupx.store.turn_rows import TurnRow, get_turn, must_change
from groupx.store.usage_rows import program_told

_END_TURN = """
UPDATE turns SET status = ?, error_code = ?, terminal_event_id = ?, response_event_id = ?,
  partial_text = ?, terminal_at = ?
WHERE turn_id = ? AND status = ? AND terminal_event_id IS NULL
"""
_STEP = """
UPDATE turns SET status = ? WHERE turn_id = ? AND status = ? AND terminal_event_id IS NULL
"""
_ADVANCE_CURSOR = """
INSERT INTO delivery_cursors (actor_id, room_id, last_delivered_seq, last_summary_seq, updated_at)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT (actor_id, room_id) DO UPDATE SET
  last_delivered_seq = max(last_delivered_seq, excluded.last_delivered_seq),
  last_summary_seq = CASE
    WHEN excluded.last_summary_seq IS NULL THEN last_summary_seq
    ELSE max(coalesce(last_summary_seq, 0), excluded.last_summary_seq) END,
  updated_at = excluded.updated_at
"""


@attrs.frozen(kw_only=True)
class _End:
    """Everything about an end that is known before its events are written."""

    turn: TurnRow
    attempt: AttemptRow | None
    command: TerminalCommand
    status: TurnStatus
    code: str | None
    reason: str | None
    certainty: DeliveryCertainty | None
    partial_text: str | None


def end_turn(
    tx: Transaction, turn: TurnRow, attempt: AttemptRow | None, command: TerminalCommand
) -> Terminated:
    """Write everything that the end of an open turn means; STORE_CONFLICT where the tables
    refuse it. `attempt` is the turn's open attempt."""
    end = _decide(tx, turn, attempt, command)
    _record_observed(tx, end)
    response = _respond(tx, end)
    response_id = response and response.event_id
    terminal_event_id = _announce(tx, end, response_id)
    must_change(
        tx.conn.execute(
            _END_TURN,
            (
                end.status, end.code, terminal_event_id, response_id, end.partial_text, tx.now,
                turn.turn_id, end.turn.status,
            ),
        ),
        f"Turn '{turn.turn_id}'",
    )  # fmt: skip
    _advance_cursor(tx, end)
    if attempt and command.usage is not None:
        program_told(tx, turn, attempt.attempt_id, command.usage.plausible())
    if response:
        register_source(tx, turn, response, command.local_date)
    tx.wake_lane(turn.target_actor_id)
    unserved = settle_claim(
        tx, ChildEnd(turn=turn, status=end.status, code=end.code, response_event_id=response_id)
    )
    if unserved is not None:
        gone = TerminalCommand(
            turn_id=unserved, attempt_id=None, cause=Cause.AGENT_GONE, message=AGENT_GONE
        )
        end_turn(tx, get_turn(tx.conn, unserved), None, gone)
    return Terminated(
        turn_id=turn.turn_id,
        status=end.status,
        error_code=end.code,
        terminal_event_id=terminal_event_id,
        response_event_id=response_id,
        fresh=True,
    )


def outcome_of(end: TerminalCommand) -> tuple[TurnStatus, str | None]:
    """The status and error code that `end` stands for, whatever state the turn is in."""
    event, code, _ = _named(end)
    return END_STATUS[event], code


def _named(command: TerminalCommand) -> tuple[TurnEvent, str | None, str | None]:
    ending = ENDINGS[command.cause]
    code = command.error_code or (ending.code and str(ending.code))
    return ending.event, code, command.reason or ending.reason


def _decide(
    tx: Transaction, turn: TurnRow, attempt: AttemptRow | None, command: TerminalCommand
) -> _End:
    """Walk both machines: the attempt is closed, the turn stands before its last step."""
    event, code, reason = _named(command)
    started = command.evidence or command.cause is Cause.COMPLETED
    steps = steps_to_end(turn.status, attempt and attempt.state, event, started=started)
    for step in steps[:-1]:
        turn, attempt = _step(tx, turn, attempt, step, command.native_turn_id)
    status = next_status(turn.status, steps[-1])
    if attempt is None:
        certainty = certainty_without_attempt(status, code)
    else:
        certainty = close_attempt(
            tx,
            attempt,
            evidence=started or command.cause in PROVES_DELIVERY,
            reconciliation=command.reconciliation,
        )
    if status is TurnStatus.COMPLETED and certainty is not DeliveryCertainty.DELIVERED:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"Turn '{turn.turn_id}' was never sent, so it cannot complete; nothing was changed.",
        )
    if command.cause is Cause.CANCELLED and not command.reason and is_interrupted(tx.conn, turn):
        reason = "steer"
    partial = turn.partial_text if command.partial_text is None else command.partial_text
    return _End(
        turn=turn,
        attempt=attempt,
        command=command,
        status=status,
        code=code,
        reason=reason,
        certainty=certainty,
        partial_text=None if status is TurnStatus.COMPLETED else partial,
    )


def _step(
    tx: Transaction,
    turn: TurnRow,
    attempt: AttemptRow | None,
    step: TurnEvent,
    native_turn_id: str | None,
) -> tuple[TurnRow, AttemptRow | None]:
    """One intermediate step that an ending implies."""
    if step is TurnEvent.STARTED and attempt:
        status = enter_started(tx, turn, attempt, native_turn_id)
        state = next_attempt_state(attempt.state, AttemptEvent.STARTED)
        return attrs.evolve(turn, status=status), attrs.evolve(attempt, state=state)
    status = next_status(turn.status, step)
    must_change(
        tx.conn.execute(_STEP, (status, turn.turn_id, turn.status)), f"Turn '{turn.turn_id}'"
    )
    return attrs.evolve(turn, status=status), attempt


def _record_observed(tx: Transaction, end: _End) -> None:
    """What was seen while it ran: at most one reasoning record, then the tools."""
    turn, command = end.turn, end.command
    instance_id = end.attempt and end.attempt.instance_id
    if command.reasoning:
        body: dict[str, Any] = {
            "turnId": turn.turn_id,
            "content": command.reasoning,
            "terminalStatus": end.status,
        }
        if command.reasoning_truncated:
            body["truncated"] = True
        by_agent(tx, turn, "turn.reasoning.recorded", body, instance_id=instance_id)
    for tool in command.tools:
        body = {"turnId": turn.turn_id, "nativeType": tool.native_type}
        if tool.tool_call_id is not None:
            body["toolCallId"] = tool.tool_call_id
        body["details"] = dict(tool.details)
        by_agent(tx, turn, "tool.progress.recorded", body, instance_id=instance_id)


def _respond(tx: Transaction, end: _End) -> Envelope | None:
    """The one response of a completed turn."""
    command = end.command
    if end.status is not TurnStatus.COMPLETED or end.attempt is None:
        return None
    body: dict[str, Any] = {"turnId": end.turn.turn_id, "content": command.response or ""}
    if command.final_offset is not None:
        body["finalOffset"] = command.final_offset
    if command.truncated:
        body["truncated"] = True
    if command.stop_reason is not None:
        body["stopReason"] = command.stop_reason
    return by_agent(
        tx,
        end.turn,
        "message.created",
        body,
        instance_id=end.attempt.instance_id,
        key="response",
    )


def _announce(tx: Transaction, end: _End, response_id: str | None) -> str:
    """The terminal event: by the agent once something was sent to it, else by GroupX."""
    event_type = TERMINAL_EVENT_OF[end.status]
    body = _body(end, response_id)
    if end.attempt is None or end.attempt.state == PREPARED:
        return by_system(tx, end.turn, event_type, body, key="terminal").event_id
    return by_agent(
        tx,
        end.turn,
        event_type,
        body,
        instance_id=end.attempt.instance_id,
        key="terminal",
        caused_by=response_id,
    ).event_id


def _body(end: _End, response_id: str | None) -> dict[str, Any]:
    """The terminal event's body (docs/http.md, its durable types)."""
    body: dict[str, Any] = {"turnId": end.turn.turn_id, "status": end.status}
    if end.status is TurnStatus.COMPLETED:
        body["responseEventId"] = response_id
        return body
    if end.status is TurnStatus.CANCELLED:
        body["reason"] = end.reason
        return body
    body["errorCode"] = end.code
    if end.command.message is not None:
        body["message"] = end.command.message
    if end.certainty is not None:
        body["deliveryCertainty"] = end.certainty
    if end.status is TurnStatus.INTERRUPTED:
        body["reconciliation"] = end.command.reconciliation
        body["partialCharacters"] = len(end.partial_text or "")
    if end.command.interaction is not None:
        body["interaction"] = dict(end.command.interaction)
    return body


def _advance_cursor(tx: Transaction, end: _End) -> None:
    """Only a proven delivery moves what the agent has seen."""
    attempt = end.attempt
    if attempt is None or end.certainty is not DeliveryCertainty.DELIVERED:
        return
    tx.conn.execute(
        _ADVANCE_CURSOR,
        (
            end.turn.target_actor_id, end.turn.room_id, attempt.context_through_seq,
            attempt.summary_through_seq, tx.now,
        ),
    )  # fmt: skip
