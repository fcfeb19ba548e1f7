"""The chain of turns above a call that an agent makes while it works."""

import sqlite3
from itertools import pairwise

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.store.chain import chain_of
from groupx.store.turn_rows import TurnRow, find_turn


@attrs.frozen(kw_only=True)
class Ancestry:
    """A caller's running turn and everybody on the way from it to the root."""

    parent: TurnRow
    actors: frozenset[ActorId]


def ancestry(conn: sqlite3.Connection, parent_turn_id: str, caller: ActorId) -> Ancestry:
    """The caller's chain, proven whole.

    SESSION_NOT_AVAILABLE when the calling turn is not at work or is unknown, MCP_BINDING_MISMATCH
    when it is not the caller's, STORE_CONFLICT or CAUSAL_CYCLE when the chain is not sound.
    """
    parent = find_turn(conn, parent_turn_id)
    if parent is None or not parent.at_work:
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE,
            "The turn that this call belongs to is not running; nothing was sent.",
        )
    if parent.target_actor_id != caller:
        raise GroupXError(
            ErrorCode.MCP_BINDING_MISMATCH,
            f"The turn that this call belongs to is {parent.target_actor_id}'s, not {caller}'s; "
            "nothing was sent.",
        )
    chain = tuple(chain_of(conn, parent))
    for turn, above in pairwise(chain):
        if (
            above.root_correlation_id != turn.root_correlation_id
            or above.hop_count != turn.hop_count - 1
        ):
            raise _broken(turn)
    top = chain[-1]
    if top.parent_turn_id in {turn.turn_id for turn in chain}:
        raise GroupXError(
            ErrorCode.CAUSAL_CYCLE,
            "The chain of turns above this call runs in a circle; nothing was sent.",
        )
    if top.parent_turn_id is not None or top.hop_count != 0:
        raise _broken(top)
    return Ancestry(parent=parent, actors=frozenset(turn.target_actor_id for turn in chain))


def _broken(turn: TurnRow) -> GroupXError:
    return GroupXError(
        ErrorCode.STORE_CONFLICT,
        f"The chain of turns above '{turn.turn_id}' is broken; nothing was sent.",
    )
