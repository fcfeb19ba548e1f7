"""The actors of one room, put together once the ledger has said which room it is."""

import os
import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import trio

from groupx.actors.agent import AgentActor
from groupx.actors.agents import AgentsSupervisor
from groupx.actors.bells import LaneBells
from groupx.actors.broker import BrokerActor
from groupx.actors.callers import Callers
from groupx.actors.compactor import Compactor, CompactorPorts
from groupx.actors.context_commands import ContextCommands
from groupx.actors.context_engine import ContextEngineActor
from groupx.actors.directory import AgentDirectory, LaneCounter
from groupx.actors.event_hub import EventHub
from groupx.actors.lane import Lane
from groupx.actors.mailbox import ActorRef, Bell
from groupx.actors.member_commands import MemberCommands
from groupx.actors.memory_commands import MemoryCommands
from groupx.actors.messages import ToAgents, ToContext
from groupx.actors.operator_commands import OperatorCommands
from groupx.actors.private_folders import PrivateFolders
from groupx.actors.rollup_scheduler import RollupPorts, RollupSchedulerActor
from groupx.actors.room_commands import RoomCommands
from groupx.actors.search_commands import SearchCommands
from groupx.actors.search_indexer import SearchIndexerActor
from groupx.actors.session_keeper import SessionPorts
from groupx.actors.side_sessions import SideProgram, SideSessions
from groupx.actors.store_writer import StoreWriterActor
from groupx.actors.supervision_commands import SupervisionCommands
from groupx.actors.terms import Terms
from groupx.actors.transient import Transients
from groupx.adapters.contract import Adapter
from groupx.domain.config import AgentConfig, Config
from groupx.domain.ids import USER_ASSISTANT, ActorId, IdSource, RoomId
from groupx.domain.notices import assistant_changed
from groupx.process.spawner import Spawner
from groupx.runtime_assistant import AssistantPart
from groupx.runtime_optional import ROLLUPS, SEARCH, OptionalPart

CLOSE_STEPS = 3
"""Of the stop ladder; each may take the config's `close`."""
SLACK_SECONDS = 5.0


@attrs.frozen(kw_only=True)
class RoomPorts:
    """What the runtime has by the time the room is put together."""

    config: Config
    run_dir: Path
    adapters: Mapping[ActorId, Adapter]
    hub: EventHub
    bells: LaneBells
    store: StoreWriterActor
    callers: Callers
    spawner: Spawner
    ids: IdSource
    now_ms: Callable[[], int]


@attrs.frozen(kw_only=True)
class Room:
    """The actors above the store."""

    directory: AgentDirectory
    lanes: LaneCounter
    context: ContextEngineActor
    rollups: OptionalPart
    search: OptionalPart
    agents: AgentsSupervisor
    assistant: AssistantPart
    broker: BrokerActor


def put_together(room_id: RoomId, ports: RoomPorts) -> Room:
    """The actors of `room_id`, wired and not yet running."""
    config, store = ports.config, ports.store.ref
    transients = Transients(hub=ports.hub, ids=ports.ids, now_ms=ports.now_ms, room_id=room_id)
    directory = AgentDirectory(
        config.agents,
        adapter_ids={actor_id: one.adapter_id for actor_id, one in ports.adapters.items()},
        transients=transients,
        now_ms=ports.now_ms,
    )
    side = _side(ports, transients)
    context = _context(ports, side, directory, transients)
    agents = _agents(ports, context.ref, side, directory, transients)
    reindex = Bell()
    return Room(
        directory=directory,
        lanes=LaneCounter(
            store,
            directory,
            ports.store.changed,
            context_characters=config.limits.context_characters,
        ),
        context=context,
        rollups=OptionalPart(ROLLUPS, _rollups(ports, side, directory).run),
        search=OptionalPart(SEARCH, SearchIndexerActor(store, reindex).run),
        agents=agents,
        assistant=AssistantPart(
            config,
            store=store,
            sessions=None
            if config.enabled_assistant is None
            else _sessions(USER_ASSISTANT, ports, transients),
            now_ms=ports.now_ms,
            on_change=lambda: transients.say(assistant_changed()),
        ),
        broker=_broker(
            ports,
            agents.ref,
            context.ref,
            terms=Terms(directory, config.limits, config.transport),
            transients=transients,
            reindex=reindex,
        ),
    )


def _side(ports: RoomPorts, transients: Transients) -> SideSessions:
    return SideSessions(
        {
            agent.actor_id: SideProgram(
                agent=agent, sessions=_sessions(agent.actor_id, ports, transients)
            )
            for agent in ports.config.enabled_agents()
        }
    )


def _context(
    ports: RoomPorts, side: SideSessions, directory: AgentDirectory, transients: Transients
) -> ContextEngineActor:
    config, store = ports.config, ports.store.ref
    compactor = Compactor(
        CompactorPorts(
            store=store,
            side=side,
            directory=directory,
            transients=transients,
            ids=ports.ids,
            limits=config.limits,
            entropy=os.urandom,
            jitter=random.random,
            on_compacted=ports.store.completed.ring,
        )
    )
    return ContextEngineActor(
        store=store,
        agents={agent.actor_id: agent for agent in config.agents},
        limits=config.limits,
        entropy=os.urandom,
        compactor=compactor,
    )


def _rollups(
    ports: RoomPorts, side: SideSessions, directory: AgentDirectory
) -> RollupSchedulerActor:
    return RollupSchedulerActor(
        RollupPorts(
            store=ports.store.ref,
            side=side,
            directory=directory,
            bell=ports.store.completed,
            entropy=os.urandom,
            now_ms=ports.now_ms,
            local_date=_local_date,
        )
    )


def _agents(
    ports: RoomPorts,
    context: ActorRef[ToContext],
    side: SideSessions,
    directory: AgentDirectory,
    transients: Transients,
) -> AgentsSupervisor:
    agents = {agent.actor_id: agent for agent in ports.config.enabled_agents()}
    lanes = {actor_id: _lane(agent, ports) for actor_id, agent in agents.items()}

    def make(actor_id: ActorId, stopping: trio.Event) -> AgentActor:
        return AgentActor(
            agents[actor_id],
            store=ports.store.ref,
            context=context,
            directory=directory,
            transients=transients,
            bells=ports.bells.of(actor_id),
            sessions=_sessions(actor_id, ports, transients),
            lane=lanes[actor_id],
            stopping=stopping,
        )

    return AgentsSupervisor(
        lanes,
        make,
        directory=directory,
        on_halt=side.stop,
        stop_grace=stop_seconds(ports.config),
        jitter=random.random,
    )


def _broker(
    ports: RoomPorts,
    agents: ActorRef[ToAgents],
    context: ActorRef[ToContext],
    *,
    terms: Terms,
    transients: Transients,
    reindex: Bell,
) -> BrokerActor:
    store = ports.store.ref
    return BrokerActor(
        store=store,
        agents=agents,
        bells=ports.bells,
        parts=(
            RoomCommands(store, transients),
            MemoryCommands(store),
            ContextCommands(store, context),
            MemberCommands(store, terms),
            SupervisionCommands(store, ports.bells, terms),
            OperatorCommands(store, terms),
            SearchCommands(store, reindex),
        ),
        terms=terms,
    )


def stop_seconds(config: Config) -> float:
    """What an agent may take to end its turn and its program by their own steps."""
    timeouts = config.timeouts
    return (timeouts.cancel + CLOSE_STEPS * timeouts.close) / 1000 + SLACK_SECONDS


def _sessions(actor_id: ActorId, ports: RoomPorts, transients: Transients) -> SessionPorts:
    return SessionPorts(
        adapter=ports.adapters[actor_id],
        spawner=ports.spawner,
        store=ports.store.ref,
        ids=ports.ids,
        transients=transients,
        timeouts=ports.config.timeouts,
        folders=PrivateFolders(parent=ports.run_dir),
        callers=ports.callers,
        now_ms=ports.now_ms,
        jitter=random.random,
    )


def _lane(agent: AgentConfig, ports: RoomPorts) -> Lane:
    return Lane(
        actor_id=agent.actor_id,
        transport=ports.config.transport,
        store=ports.store.ref,
        local_date=_local_date,
    )


def _local_date() -> str:
    return time.strftime("%Y-%m-%d")
