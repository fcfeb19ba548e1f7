"""What callers are told of the turns they caused, within the size of a tool's result."""

from collections.abc import Collection, Sequence
from typing import Any

from groupx.domain.text import excerpt
from groupx.domain.turns import TurnStatus
from groupx.mcp.bounds import CONTENT_BYTES, cut
from groupx.store.queries.called_turns import CalledTurn

REASON_CHARACTERS = 200
GO_ON = (
    "Pending turns go on. Collect them by messageEventId, now or in a later turn of yours; do not "
    "send the message again."
)
BEING_CANCELLED = "Turns whose status is cancelling are being stopped; expect no answer of them."
_STATES = {TurnStatus.COMPLETED: "answered"}


def answers(
    message_event_id: str, turns: Sequence[CalledTurn], *, go_on: str = GO_ON
) -> dict[str, Any]:
    """One entry a target; one failure hides no other's answer. `go_on` is said of turns that
    have not ended."""
    share = CONTENT_BYTES // max(1, len(turns))
    results = [_result(turn, share) for turn in turns]
    told: dict[str, Any] = {"messageEventId": message_event_id, "results": results}
    if notes := _notes({turn.status for turn in turns if not turn.ended}, go_on):
        told["note"] = " ".join(notes)
    return told


def _notes(pending: Collection[TurnStatus], go_on: str) -> list[str]:
    notes = [go_on] if any(status is not TurnStatus.CANCELLING for status in pending) else []
    return notes + [BEING_CANCELLED] * (TurnStatus.CANCELLING in pending)


def _result(turn: CalledTurn, max_bytes: int) -> dict[str, Any]:
    state = _STATES.get(turn.status, turn.status.value) if turn.ended else "pending"
    result: dict[str, Any] = {"target": turn.target, "turnId": turn.turn_id, "state": state}
    if state == "pending":
        result["status"] = turn.status.value
    optional = {
        "queuePosition": turn.queue_position,
        "activeTurnId": turn.active_turn_id,
        "errorCode": turn.error_code,
        "message": turn.message and excerpt(turn.message, REASON_CHARACTERS),
        "responseEventId": turn.response_event_id,
    }
    result |= {name: value for name, value in optional.items() if value is not None}
    if turn.content is not None:
        result |= cut(turn.content, turn.content_characters or 0, max_bytes)
    return result
