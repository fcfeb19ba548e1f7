"""Supervision pairs: some agents work, others watch them and may steer. Rules only."""

from collections.abc import Sequence
from typing import Literal

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.roster import EVERYONE, Addressed, RosterEntry, resolve_targets

Mode = Literal["live_steer"]
Role = Literal["worker", "observer"]

MODE: Mode = "live_steer"
MAX_OBSERVERS = 4
WATCH_BRIEF = "supervision.watch"
"""The kind of the message that an observer's turn begins with."""
STEER = "steer"
"""The kind of the message by which an observer guides a worker."""


@attrs.frozen(kw_only=True)
class Supervision:
    """Who is to watch the agents that a message wakes."""

    observers: tuple[str, ...]
    """As the caller wrote them, `agent:<id>`."""
    mode: Mode = MODE


@attrs.frozen(kw_only=True)
class PairedTurn:
    """One turn of a pair; the role is the turn's, never the agent's."""

    turn_id: str
    actor_id: ActorId
    role: Role


def resolve_pair(
    to: Sequence[str],
    supervision: Supervision | None,
    roster: Sequence[RosterEntry],
    *,
    caller: ActorId,
) -> tuple[Addressed, tuple[RosterEntry, ...]]:
    """Who is woken to work, and who to watch; nobody watches without `supervision`.

    Raises what `resolve_targets` raises, for both, and SUPERVISION_PAIR_INVALID.
    """
    observers = _observers(supervision, roster, caller)
    names = [observer.actor_id for observer in observers]
    addressed = resolve_targets(to, roster, caller=caller, observers=names)
    for target in addressed.targets:
        if target.actor_id in names:
            raise _invalid(
                f"{target.actor_id} cannot both do the work and watch it", observer=target.actor_id
            )
    return addressed, observers


def _observers(
    supervision: Supervision | None, roster: Sequence[RosterEntry], caller: ActorId
) -> tuple[RosterEntry, ...]:
    if supervision is None:
        return ()
    names = supervision.observers
    if not 1 <= len(names) <= MAX_OBSERVERS or len(set(names)) != len(names):
        raise _invalid(f"A pair has 1 to {MAX_OBSERVERS} different observers")
    if EVERYONE in names:
        raise _invalid(f"Observers are named one by one, so '{EVERYONE}' cannot be one")
    if caller in names:
        raise _invalid(f"{caller} cannot watch what it asks for itself", observer=caller)
    return resolve_targets(names, roster, caller=caller).targets


def watch_brief(workers: Sequence[PairedTurn], observers: Sequence[RosterEntry]) -> str:
    """What an observer's turn is about. The task's own words are never in it."""
    turns = "\n".join(f"- {worker.actor_id}, turn {worker.turn_id}" for worker in workers)
    names = ", ".join(observer.actor_id for observer in observers)
    return (
        "You are an observer of work that others do now. Do not do it yourself.\n\n"
        f"Workers:\n{turns}\nObservers: {names}\n\n"
        "`watch` answers at the next milestone of a worker's turn, or at its end.\n"
        "`steer` sends a worker guidance that everybody can read, with a reason. `nudge` gives it "
        "after the turn that runs now; `interrupt` also stops that whole turn first. One tool "
        "call alone cannot be stopped.\n"
        "Steering allows and forbids nothing, and changes nobody's access. A message to a worker "
        "by `send` or `ask` is refused while you watch it.\n"
        "Your answer ends your watch and is shown in the room."
    )


def _invalid(what: str, **details: str) -> GroupXError:
    return GroupXError(
        ErrorCode.SUPERVISION_PAIR_INVALID,
        f"{what}; nothing was sent. Choose other observers, or none.",
        **details,
    )
