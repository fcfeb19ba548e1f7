"""Who can be addressed, and what an address list means."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import AGENT_PREFIX, ActorId
from groupx.domain.limits import MAX_TARGETS

EVERYONE = "@all"


class AgentState(StrEnum):
    """What an agent is doing."""

    STOPPED = "stopped"
    STARTING = "starting"
    RECOVERING = "recovering"
    IDLE = "idle"
    WORKING = "working"
    CANCELLING = "cancelling"
    FAILED = "failed"
    PENDING_RESTART = "pending_restart"


_DOWN = frozenset({AgentState.STOPPED, AgentState.FAILED})
_IN_A_TURN = frozenset({AgentState.WORKING, AgentState.CANCELLING})


def state_after(action: Literal["start", "stop", "restart"], state: AgentState) -> AgentState:
    """How an agent stands once `action` has begun."""
    if action == "stop":
        return AgentState.CANCELLING if state in _IN_A_TURN else AgentState.STOPPED
    if action == "restart" or state in _DOWN:
        return AgentState.STARTING
    return state


@attrs.frozen(kw_only=True)
class RosterEntry:
    """One agent as an address: enabled in the config, and whether the user stopped it."""

    actor_id: ActorId
    adapter_id: str
    """The driver's name, as the ledger's `adapter_id` holds it."""
    stopped: bool = False
    pending_restart: bool = False


@attrs.frozen(kw_only=True)
class Skipped:
    """An agent that `@all` left out, and why."""

    target: ActorId
    reason: str


@attrs.frozen(kw_only=True)
class Addressed:
    """Who is woken, in roster order for `@all` and in the caller's order otherwise."""

    targets: tuple[RosterEntry, ...]
    skipped: tuple[Skipped, ...] = ()


def resolve_targets(
    to: Sequence[str],
    roster: Sequence[RosterEntry],
    *,
    caller: ActorId,
    observers: Sequence[ActorId] = (),
) -> Addressed:
    """Who `to` wakes.

    Raises INVALID_ENVELOPE (empty, too many, duplicates, `@all` beside names),
    UNKNOWN_TARGET, TARGET_NOT_RUNNING.
    """
    if not 1 <= len(to) <= MAX_TARGETS or len(set(to)) != len(to):
        raise GroupXError(
            ErrorCode.INVALID_ENVELOPE,
            f"'to' must name 1 to {MAX_TARGETS} different agents; nothing was sent.",
        )
    if EVERYONE in to:
        if len(to) > 1:
            raise GroupXError(
                ErrorCode.INVALID_ENVELOPE,
                "'@all' already means everyone; send it alone. Nothing was sent.",
            )
        return _everyone(roster, caller, observers)
    by_id = {entry.actor_id: entry for entry in roster}
    return Addressed(targets=tuple(_named(name, by_id) for name in to))


def _everyone(
    roster: Sequence[RosterEntry], caller: ActorId, observers: Sequence[ActorId]
) -> Addressed:
    targets: list[RosterEntry] = []
    skipped: list[Skipped] = []
    for entry in roster:
        if entry.pending_restart:
            continue
        if entry.actor_id == caller:
            skipped.append(Skipped(target=entry.actor_id, reason="caller"))
        elif entry.actor_id in observers:
            skipped.append(Skipped(target=entry.actor_id, reason="observer"))
        elif entry.stopped:
            skipped.append(Skipped(target=entry.actor_id, reason="stopped"))
        else:
            targets.append(entry)
    if not targets:
        raise GroupXError(
            ErrorCode.TARGET_NOT_RUNNING,
            "No agent is left for '@all': start one, then send again. Nothing was sent.",
            skipped=[{"target": item.target, "reason": item.reason} for item in skipped],
        )
    return Addressed(targets=tuple(targets), skipped=tuple(skipped))


def _named(name: str, by_id: dict[ActorId, RosterEntry]) -> RosterEntry:
    entry = by_id.get(ActorId(name))
    if entry is None or entry.pending_restart:
        if entry is not None:
            raise GroupXError(
                ErrorCode.UNKNOWN_TARGET,
                f"{name} was added to the config and is no part of the room yet; nothing was sent. "
                "Restart GroupX, then send again.",
                target=name,
            )
        known = ", ".join(by_id) or "none"
        hint = "" if name.startswith(AGENT_PREFIX) else " Targets are written agent:<id>."
        raise GroupXError(
            ErrorCode.UNKNOWN_TARGET,
            f"There is no agent '{name}' in this room; nothing was sent.{hint} Known: {known}.",
            target=name,
        )
    if entry.stopped:
        raise GroupXError(
            ErrorCode.TARGET_NOT_RUNNING,
            f"{name} is stopped; nothing was sent. Start it, then send again.",
            target=name,
        )
    return entry
