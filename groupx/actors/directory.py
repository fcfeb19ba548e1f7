"""How every agent stands, for whoever wants to see or address them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import trio

from groupx.actors.mailbox import ActorRef, Bell
from groupx.actors.messages import Read, ToStore
from groupx.actors.steadfast import insist
from groupx.actors.transient import Transients
from groupx.domain.config import AgentConfig
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.notices import agent_changed, room_changed
from groupx.domain.roster import AgentState, RosterEntry
from groupx.domain.times import iso_from_ms
from groupx.domain.views import AgentView, ContextView
from groupx.store.queries.lane import lane_views

WELL = frozenset(
    {
        AgentState.STARTING,
        AgentState.RECOVERING,
        AgentState.IDLE,
        AgentState.WORKING,
        AgentState.CANCELLING,
    }
)
"""Up or coming up. Every start passes through STARTING and RECOVERING."""
COALESCE_SECONDS = 0.02
"""Commits of this long are counted together."""


class AgentDirectory:
    """An immutable AgentView per configured agent, in config order.

    Agents publish their own entry; every change is shown as `agent.changed`. Synchronous.
    """

    def __init__(
        self,
        agents: Sequence[AgentConfig],
        *,
        adapter_ids: Mapping[ActorId, str],
        transients: Transients,
        now_ms: Callable[[], int],
    ) -> None:
        self._transients = transients
        self._now_ms = now_ms
        self._adapter_ids = adapter_ids
        since = iso_from_ms(now_ms())
        self._views = {agent.actor_id: _first_view(agent, since) for agent in agents}
        self._stopped: set[ActorId] = set()

    def views(self) -> tuple[AgentView, ...]:
        """Every configured agent as it is now."""
        return tuple(self._views.values())

    def view(self, actor_id: ActorId) -> AgentView:
        """One agent; UNKNOWN_TARGET when it is not configured."""
        view = self._views.get(actor_id)
        if view is None or view.state is AgentState.PENDING_RESTART:
            raise GroupXError(
                ErrorCode.UNKNOWN_TARGET,
                f"There is no agent '{actor_id}' in this room; nothing was changed.",
                target=actor_id,
            )
        return view

    def roster(self) -> tuple[RosterEntry, ...]:
        """Who can be addressed now: the enabled agents."""
        return tuple(
            RosterEntry(
                actor_id=view.actor_id,
                adapter_id=self._adapter_ids.get(view.actor_id, view.driver),
                stopped=view.actor_id in self._stopped,
                pending_restart=view.state is AgentState.PENDING_RESTART,
            )
            for view in self._views.values()
            if view.enabled
        )

    def well(self) -> tuple[AgentView, ...]:
        """Whose program may be asked beside what it does: enabled, up or coming up, and not to be
        stopped."""
        return tuple(
            view
            for view in self._views.values()
            if view.enabled and view.state in WELL and view.actor_id not in self._stopped
        )

    def set_stopped(self, actor_id: ActorId, stopped: bool) -> None:
        """Whether the user wants this agent stopped, which addressing obeys at once."""
        if stopped:
            self._stopped.add(actor_id)
        else:
            self._stopped.discard(actor_id)

    def change(self, actor_id: ActorId, **changes: Any) -> AgentView:
        """Publish some fields of one agent's view; `since` follows the state."""
        before = self._views[actor_id]
        view = attrs.evolve(before, **changes)
        if view.state is not before.state:
            view = attrs.evolve(view, since=iso_from_ms(self._now_ms()))
        if view != before:
            self._views[actor_id] = view
            self.announce(actor_id)
        return view

    def show_pending(self, agents: Sequence[AgentConfig]) -> None:
        """Show exactly these as added to the config; they are no part of the room before a
        restart."""
        for view in self.views():
            if view.state is AgentState.PENDING_RESTART:
                del self._views[view.actor_id]
        since = iso_from_ms(self._now_ms())
        for agent in agents:
            view = attrs.evolve(_first_view(agent, since), state=AgentState.PENDING_RESTART)
            self._views[agent.actor_id] = view
            self.announce(agent.actor_id)
        self._transients.say(room_changed())

    def announce(self, actor_id: ActorId) -> None:
        """Say how this agent stands to everyone who listens."""
        self._transients.say(agent_changed(self._views[actor_id]))


class LaneCounter:
    """Keeps the directory's queue lengths, pauses and context sizes as the ledger has them."""

    def __init__(
        self,
        store: ActorRef[ToStore],
        directory: AgentDirectory,
        changed: Bell,
        *,
        context_characters: int,
    ) -> None:
        self._store = store
        self._directory = directory
        self._changed = changed
        self._context_characters = context_characters

    async def run(self) -> None:
        """Read every lane after commits, once for all that happened meanwhile."""
        while True:
            lanes = await insist(self._store, Read(lane_views, None))
            known = {view.actor_id for view in self._directory.views()}
            for lane in lanes:
                if lane.actor_id in known:
                    self._directory.change(
                        lane.actor_id,
                        lane=lane.lane,
                        paused=lane.paused,
                        context=self._context(lane.packet_characters),
                    )
            await self._changed.wait()
            await trio.sleep(COALESCE_SECONDS)

    def _context(self, characters: int | None) -> ContextView | None:
        if characters is None:
            return None
        return ContextView(characters=characters, max=self._context_characters)


def _first_view(agent: AgentConfig, since: str) -> AgentView:
    return AgentView(
        actor_id=agent.actor_id,
        id=agent.id,
        name=agent.name,
        driver=agent.driver,
        enabled=agent.enabled,
        state=AgentState.STARTING if agent.enabled else AgentState.STOPPED,
        since=since,
        cwd=agent.cwd,
    )
