"""One turn as a person may look into it."""

import sqlite3
from itertools import islice
from typing import Any

from groupx.domain.attempts import DeliveryCertainty, DispatchPhase, Reconciliation
from groupx.domain.context_usage import Usage
from groupx.domain.envelope import ASKED
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.turn_detail import AttemptView, ChainLink, ReceiptView, TurnDetail, Via
from groupx.store.chain import MAX_SHOWN, cause_of, chain_of
from groupx.store.event_rows import content_of, load_json
from groupx.store.turn_rows import TurnRow, get_turn
from groupx.store.turn_views import child_turns, turn_view

MAX_CHILDREN = 200
_ATTEMPTS = """
SELECT attempt_id, dispatch_phase, delivery_certainty, reconciliation, context_through_seq,
  summary_through_seq, claimed_at, prompt_invoked_at, started_at, terminal_at, instance_id
FROM turn_attempts WHERE turn_id = ? ORDER BY rowid LIMIT 100
"""
_PACKET = """
SELECT packet_json FROM turn_attempts WHERE turn_id = ? AND packet_json IS NOT NULL
ORDER BY rowid DESC LIMIT 1
"""
_RECEIPT = """
SELECT received_at, recorded_at, applied_at, completed_at FROM input_receipts WHERE turn_id = ?
"""
_CAUSE = """
SELECT actor_id, event_type, body_json, provenance_json FROM events WHERE event_id = ?
"""
_END = "SELECT body_json FROM events WHERE event_id = ?"
_STOP = "SELECT json_extract(body_json, '$.stopReason') FROM events WHERE event_id = ?"
MAX_EXCERPT = 200
_KINDS: dict[str, Via] = {
    "retry": "retry",
    "continue": "continue",
    "steer": "steer",
    "callback": "callback",
}


def turn_detail(conn: sqlite3.Connection, turn_id: str) -> TurnDetail:
    """The turn; NOT_FOUND."""
    view = turn_view(conn, turn_id)
    if view is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no turn '{turn_id}'.")
    row = get_turn(conn, turn_id)
    packet, usage = _packet_and_usage(conn, turn_id)
    receipt = conn.execute(_RECEIPT, (turn_id,)).fetchone()
    ended = conn.execute(_END, (view.terminal_event_id,)).fetchone()
    end: dict[str, Any] = load_json(ended[0]) if ended else {}
    stop = conn.execute(_STOP, (view.response_event_id,)).fetchone()
    return TurnDetail(
        turn=view,
        attempts=tuple(_attempt(item) for item in conn.execute(_ATTEMPTS, (turn_id,))),
        receipt=ReceiptView(
            received_at=receipt[0],
            recorded_at=receipt[1],
            applied_at=receipt[2],
            completed_at=receipt[3],
        ),
        packet=packet,
        usage=usage,
        chain=_chain(conn, row),
        message=end.get("message"),
        reason=end.get("reason"),
        stop_reason=stop[0] if stop else None,
        children=child_turns(conn, row.root_correlation_id, turn_id, MAX_CHILDREN),
        partial_text=row.partial_text,
    )


def _packet_and_usage(
    conn: sqlite3.Connection, turn_id: str
) -> tuple[dict[str, Any] | None, Usage | None]:
    """What the newest attempt that recorded anything sent, and what its program reported."""
    row = conn.execute(_PACKET, (turn_id,)).fetchone()
    if row is None:
        return None, None
    packet: dict[str, Any] = load_json(row[0])
    told = packet.pop("usage", None)
    return packet or None, told and Usage(
        input_tokens=told.get("inputTokens"),
        output_tokens=told.get("outputTokens"),
        total_tokens=told.get("totalTokens"),
        context_used=told.get("contextUsed"),
        context_size=told.get("contextSize"),
    )


def _attempt(row: tuple[Any, ...]) -> AttemptView:
    reconciliation = Reconciliation(row[3])
    return AttemptView(
        attempt_id=row[0],
        dispatch_phase=DispatchPhase(row[1]),
        delivery_certainty=DeliveryCertainty(row[2]),
        reconciliation=None if reconciliation is Reconciliation.NONE else reconciliation,
        context_through_seq=row[4],
        summary_through_seq=row[5],
        claimed_at=row[6],
        prompt_invoked_at=row[7],
        started_at=row[8],
        terminal_at=row[9],
        instance_id=row[10],
    )


def _chain(conn: sqlite3.Connection, turn: TurnRow) -> tuple[ChainLink, ...]:
    """Upwards from the turn to its first cause, then turned round."""
    links = [_link(conn, below) for below in islice(chain_of(conn, turn, cause_of), MAX_SHOWN)]
    return tuple(reversed(links))


def _link(conn: sqlite3.Connection, turn: TurnRow) -> ChainLink:
    actor_id, event_type, body, provenance = conn.execute(
        _CAUSE, (turn.source_event_id,)
    ).fetchone()
    above, said = cause_of(turn), load_json(body)
    return ChainLink(
        turn_id=above,
        event_id=turn.source_event_id,
        actor_id=ActorId(actor_id),
        via=_via(event_type, said, provenance, called=above is not None),
        excerpt=_excerpt(content_of(said)),
    )


def _excerpt(content: str) -> str:
    """The first line that says something, cut."""
    line = content.lstrip()[: MAX_EXCERPT + 1].split("\n", 1)[0].rstrip()
    return line if len(line) <= MAX_EXCERPT else f"{line[:MAX_EXCERPT].rstrip()}…"


def _via(event_type: str, body: dict[str, Any], provenance: str | None, *, called: bool) -> Via:
    if event_type == "operator.dispatch":
        return "dispatch"
    kind = _KINDS.get(str(body.get("kind")))
    if kind is not None:
        return kind
    if not called:
        return "message"
    labels = load_json(provenance).get("labels") if provenance else None
    return "ask" if ASKED in (labels or ()) else "send"
