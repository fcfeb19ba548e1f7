"""The bells of the lanes: how a commit or a cancel wakes the one agent it concerns."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import attrs

from groupx.actors.mailbox import Bell
from groupx.domain.ids import ActorId


@attrs.frozen(kw_only=True)
class AgentBells:
    """One agent's bells. What rang them is read from the ledger, never from the bell."""

    lane: Bell = attrs.field(factory=Bell)
    """There may be something to run."""
    cancel: Bell = attrs.field(factory=Bell)
    """The running turn may have become `cancelling`."""
    force: Bell = attrs.field(factory=Bell)
    """… and the user will not wait for the program's consent."""


class LaneBells:
    """Every configured agent's bells; they outlive the agents' incarnations."""

    def __init__(self, actor_ids: Iterable[ActorId]) -> None:
        self._bells: Mapping[ActorId, AgentBells] = MappingProxyType(
            {actor_id: AgentBells() for actor_id in actor_ids}
        )

    def of(self, actor_id: ActorId) -> AgentBells:
        """One agent's bells; KeyError for an agent that is not configured."""
        return self._bells[actor_id]

    def ring_lanes(self, actor_ids: Iterable[ActorId]) -> None:
        """Wake these lanes; an agent that is no longer configured has none."""
        for actor_id in actor_ids:
            if (bells := self._bells.get(actor_id)) is not None:
                bells.lane.ring()

    def ring_cancel(self, actor_id: ActorId, *, force: bool) -> None:
        """Tell an agent to look whether its running turn is to stop."""
        if (bells := self._bells.get(actor_id)) is not None:
            bells.cancel.ring()
            if force:
                bells.force.ring()
