"""How far a chain of agents' calls may go: counted in the ledger, raised by the user alone."""

import sqlite3

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry
from groupx.store.event_keys import raises_of
from groupx.store.turn_rows import TurnRow

_ROOT_TURNS = "SELECT count(*) FROM turns WHERE root_correlation_id = ?"
_ACTOR_CALLS = """
SELECT count(*) FROM turns
WHERE root_correlation_id = ? AND target_actor_id = ? AND parent_turn_id IS NOT NULL
"""
_RAISED = """
SELECT max(json_extract(body_json, '$.newBound')) FROM events
WHERE room_id = ? AND idempotency_key >= ? AND idempotency_key < ?
  AND event_type = 'routing.loop_continued'
"""


@attrs.frozen(kw_only=True)
class Measure:
    """One limit against one call."""

    limit: str
    code: ErrorCode
    needed: int
    """What it would come to with the call."""
    configured: int
    bound: int
    """What holds for this chain: as configured, or as the user has raised it."""

    @property
    def reached(self) -> bool:
        """Whether the call may not be made."""
        return self.needed > self.bound


def measure(
    conn: sqlite3.Connection, parent: TurnRow, targets: tuple[RosterEntry, ...], limits: Limits
) -> tuple[Measure, ...]:
    """Every limit of a call out of `parent` to `targets`, in the order in which they stop it."""
    root = parent.root_correlation_id
    (turns,) = conn.execute(_ROOT_TURNS, (root,)).fetchone()
    calls = [
        int(conn.execute(_ACTOR_CALLS, (root, target.actor_id)).fetchone()[0]) + 1
        for target in targets
    ]
    counted = (
        ("hopCount", ErrorCode.HOP_LIMIT_REACHED, parent.hop_count + 1, limits.hop_count),
        (
            "rootTurns",
            ErrorCode.ROOT_TURN_LIMIT_REACHED,
            turns + len(targets),
            limits.root_turns,
        ),
        (
            "actorCallsPerRoot",
            ErrorCode.ACTOR_CALL_LIMIT_REACHED,
            max(calls, default=0),
            limits.actor_calls_per_root,
        ),
    )
    return tuple(
        Measure(
            limit=limit,
            code=code,
            needed=needed,
            configured=configured,
            bound=configured if needed <= configured else _bound(conn, parent, limit, configured),
        )
        for limit, code, needed, configured in counted
    )


def first_reached(
    conn: sqlite3.Connection, parent: TurnRow, targets: tuple[RosterEntry, ...], limits: Limits
) -> Measure | None:
    """The limit that stops the call, if any does."""
    return next((it for it in measure(conn, parent, targets, limits) if it.reached), None)


def check_loop_limits(
    conn: sqlite3.Connection, parent: TurnRow, targets: tuple[RosterEntry, ...], limits: Limits
) -> None:
    """HOP_LIMIT_REACHED, ROOT_TURN_LIMIT_REACHED or ACTOR_CALL_LIMIT_REACHED."""
    stopped = first_reached(conn, parent, targets, limits)
    if stopped is not None:
        raise GroupXError(
            stopped.code,
            stopped_message(stopped),
            limit=stopped.limit,
            bound=stopped.bound,
            rootCorrelationId=parent.root_correlation_id,
        )


def stopped_message(stopped: Measure) -> str:
    """What a caller is told."""
    return (
        f"This chain of agent calls has reached its limit '{stopped.limit}' of {stopped.bound}; "
        "nothing was sent. The user can let it go on, or raise the limit in the config."
    )


def _bound(conn: sqlite3.Connection, parent: TurnRow, limit: str, configured: int) -> int:
    keys = raises_of(parent.root_correlation_id, limit)
    (raised,) = conn.execute(_RAISED, (parent.room_id, *keys)).fetchone()
    return max(configured, raised or 0)
