"""Calls out of a watch turn: which pair it watches, whom of it is meant, whom it may not wake."""

import sqlite3
from collections.abc import Iterable

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.roster import RosterEntry
from groupx.store.ancestry import ancestry
from groupx.store.supervision_rows import PairMember, members, place_of
from groupx.store.turn_rows import TurnRow


@attrs.frozen(kw_only=True)
class Watching:
    """A running watch turn and its pair."""

    turn: TurnRow
    pair_id: str
    workers: tuple[PairMember, ...]


def watching(conn: sqlite3.Connection, watch_turn_id: str, caller: ActorId) -> Watching:
    """The caller's watch turn. SUPERVISION_WATCH_REQUIRED when the turn watches nobody,
    else what `ancestry` refuses."""
    turn = ancestry(conn, watch_turn_id, caller).parent
    place = place_of(conn, turn.turn_id)
    if place is None or place.role != "observer":
        raise GroupXError(
            ErrorCode.SUPERVISION_WATCH_REQUIRED,
            "This turn watches nobody, so it can neither watch nor steer; nothing was done. "
            "Only an observer's watch turn can.",
        )
    return Watching(
        turn=turn, pair_id=place.pair_id, workers=members(conn, place.pair_id, "worker")
    )


def subject_of(watch: Watching, subject_turn_id: str | None, *, ended_too: bool) -> PairMember:
    """The worker's turn that is meant; left out, the pair's one open worker.

    `ended_too`: where none is open, its only worker. SUPERVISION_PAIR_INVALID when the turn is no
    worker of this pair, or it is not clear which one is meant.
    """
    if subject_turn_id is not None:
        candidates = [it for it in watch.workers if it.turn.turn_id == subject_turn_id]
        what = f"'{subject_turn_id}' is no worker's turn of the pair that this turn watches"
    else:
        candidates = [it for it in watch.workers if not it.ended]
        if not candidates and ended_too:
            candidates = list(watch.workers)
        what = f"subjectTurnId is needed, since {len(candidates)} workers are open in this pair"
    if len(candidates) == 1:
        return candidates[0]
    raise GroupXError(
        ErrorCode.SUPERVISION_PAIR_INVALID,
        f"{what}; nothing was done. Name one of the workers' turns.",
        workers=[
            {"actorId": it.turn.actor_id, "turnId": it.turn.turn_id, "status": str(it.status)}
            for it in watch.workers
        ],
    )


def refuse_messages_to_watched(
    conn: sqlite3.Connection, parent_turn_id: str, targets: Iterable[RosterEntry]
) -> None:
    """SUPERVISION_STEER_REQUIRED when a watch turn's call would wake a worker that it watches."""
    place = place_of(conn, parent_turn_id)
    if place is None or place.role != "observer":
        return
    watched = {it.turn.actor_id for it in members(conn, place.pair_id, "worker")}
    for target in targets:
        if target.actor_id in watched:
            raise GroupXError(
                ErrorCode.SUPERVISION_STEER_REQUIRED,
                f"You watch {target.actor_id}, so a message cannot wake it; nothing was sent. "
                "Use steer, or leave it out.",
                target=target.actor_id,
            )
