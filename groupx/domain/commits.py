"""What a commit tells the rest of the daemon."""

import attrs

from groupx.domain.ids import ActorId


@attrs.frozen
class Frame:
    """One event, encoded once: its wire JSON as UTF-8. `seq` is None for a transient one."""

    seq: int | None
    room_id: str
    type: str
    data: bytes


@attrs.frozen(kw_only=True)
class CommitFacts:
    """Everything that one group commit made true, in order."""

    frames: tuple[Frame, ...] = ()
    lanes: frozenset[ActorId] = frozenset()
    """Lanes that have something new to do: ring their bells."""
