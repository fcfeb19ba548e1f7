"""What a saved config changes in a room that runs with an earlier one. Pure."""

import attrs

from groupx.domain.config import AgentConfig, Config
from groupx.domain.ids import ActorId


@attrs.frozen(kw_only=True)
class PendingRestart:
    """What waits for the next start."""

    required: bool = False
    """Whether anything differs that the room has after a restart in its place."""
    agents: tuple[ActorId, ...] = ()
    """Added, changed or removed."""
    added: tuple[AgentConfig, ...] = ()
    """Not in the room yet."""
    port: int | None = None
    """Where the room is to listen; a restart in its place keeps the port that it has."""


NOTHING_PENDING = PendingRestart()


def pending_restart(running: Config, saved: Config, *, listens: int | None) -> PendingRestart:
    """What of `saved` the room that runs with `running` does not do yet.

    `listens`: the port it has; None when the command line named it, instead of any config.
    """
    before = {agent.actor_id: agent for agent in running.agents}
    after = {agent.actor_id: agent for agent in saved.agents}
    changed = [actor_id for actor_id in after if after[actor_id] != before.get(actor_id)]
    removed = [actor_id for actor_id in before if actor_id not in after]
    return PendingRestart(
        required=attrs.evolve(saved, server=running.server) != running,
        agents=(*changed, *removed),
        added=tuple(agent for agent in saved.agents if agent.actor_id not in before),
        port=None if listens is None or saved.server.port in (0, listens) else saved.server.port,
    )
