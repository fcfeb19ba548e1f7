"""What a saved config changes in a room that runs with an earlier one. Pure."""

import attrs

from groupx.domain.config import AgentConfig, Config
from groupx.domain.ids import ActorId


@attrs.frozen(kw_only=True)
class PendingRestart:
    """What waits for the next start."""

    required: bool = False
    """Whether anything of the config differs."""
    agents: tuple[ActorId, ...] = ()
    """Added, changed or removed."""
    added: tuple[AgentConfig, ...] = ()
    """Not in the room yet."""


NOTHING_PENDING = PendingRestart()


def pending_restart(running: Config, saved: Config) -> PendingRestart:
    """What of `saved` the room that runs with `running` does not do yet."""
    before = {agent.actor_id: agent for agent in running.agents}
    after = {agent.actor_id: agent for agent in saved.agents}
    changed = [actor_id for actor_id in after if after[actor_id] != before.get(actor_id)]
    removed = [actor_id for actor_id in before if actor_id not in after]
    return PendingRestart(
        required=saved != running,
        agents=(*changed, *removed),
        added=tuple(agent for agent in saved.agents if agent.actor_id not in before),
    )
