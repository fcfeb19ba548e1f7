"""Terminal: the end of a turn, all or nothing, exactly once."""

from groupx.domain.canonical import text_hash
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import TerminalCommand, Terminated
from groupx.domain.turns import TurnStatus
from groupx.store.attempt_rows import open_attempt
from groupx.store.ending import end_turn, outcome_of
from groupx.store.event_rows import content_of, load_json
from groupx.store.transaction import Transaction
from groupx.store.turn_rows import TurnRow, get_turn

_BODY = "SELECT body_json FROM events WHERE event_id = ?"


def terminal(tx: Transaction, command: TerminalCommand) -> Terminated:
    """Write the end; the same end again is answered with the first, `fresh` False.

    STORE_CONFLICT for another end, for an attempt that is not the open one, and for what the
    tables refuse.
    """
    turn = get_turn(tx.conn, command.turn_id)
    if turn.terminal_event_id is not None:
        return _again(tx, turn, turn.terminal_event_id, command)
    attempt = open_attempt(tx.conn, turn.turn_id)
    if (attempt and attempt.attempt_id) != command.attempt_id:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"Attempt '{command.attempt_id}' is not the open attempt of turn "
            f"'{turn.turn_id}'; nothing was changed.",
        )
    return end_turn(tx, turn, attempt, command)


def _again(
    tx: Transaction, turn: TurnRow, terminal_event_id: str, command: TerminalCommand
) -> Terminated:
    status, code = outcome_of(command)
    same = (status, code) == (turn.status, turn.error_code)
    if same and status is TurnStatus.COMPLETED:
        same = text_hash(command.response or "") == text_hash(_response(tx, turn))
    if not same:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            f"Turn '{turn.turn_id}' has already ended as {turn.status}; that does not change.",
            status=str(turn.status),
            errorCode=turn.error_code,
        )
    return Terminated(
        turn_id=turn.turn_id,
        status=turn.status,
        error_code=turn.error_code,
        terminal_event_id=terminal_event_id,
        response_event_id=turn.response_event_id,
        fresh=False,
    )


def _response(tx: Transaction, turn: TurnRow) -> str:
    row = tx.conn.execute(_BODY, (turn.response_event_id,)).fetchone()
    return "" if row is None else content_of(load_json(row[0]))
