"""The composition root: the only place that names concrete classes of all layers.

One tree, started from the first and stopped from the last:
web · processes · store · hub · broker · context · lanes · rollups · search · mcp · agents ·
assistant · door.
"""

import os
import socket
import time
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import structlog
import trio

from groupx import __version__
from groupx.actors.bells import LaneBells
from groupx.actors.callers import Callers
from groupx.actors.event_hub import EventHub, EventHubActor
from groupx.actors.messages import Write
from groupx.actors.store_writer import StoreWriterActor
from groupx.adapters.contract import Adapter
from groupx.adapters.registry import ADAPTERS, adapter_for
from groupx.domain.config_changes import PendingRestart
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import USER_ASSISTANT, ActorId, IdSource
from groupx.domain.ledger import Recovered
from groupx.domain.runs import OpenRun, RecoverQuery
from groupx.domain.runtime_keys import runtime_key, runtime_scope_key
from groupx.domain.times import iso_from_ms
from groupx.mcp.loading import load_desks
from groupx.mcp.mount import McpMount
from groupx.mcp.room import RoomFace
from groupx.process.spawner import Spawner, SpawnError
from groupx.runtime_assistant import NAME as ASSISTANT
from groupx.runtime_folder import make_private_folders, open_token
from groupx.runtime_ledger import RunLedger, store_health
from groupx.runtime_log import configure_log
from groupx.runtime_notices import config_notices, restart_notice
from groupx.runtime_optional import ROLLUPS, SEARCH
from groupx.runtime_plan import Plan, RoomTaken, RuntimeFailed
from groupx.runtime_processes import ProcessesPart
from groupx.runtime_room import SLACK_SECONDS, Room, RoomPorts, put_together, stop_seconds
from groupx.runtime_upgrade import UpgradeReport, upgrade_notice
from groupx.setup.checks import Checks
from groupx.setup.desk import SetupDesk
from groupx.setup.programs import Programs
from groupx.store.gil import keep_thread_fed
from groupx.store.place import LeaseLost
from groupx.store.transactions.bindings import open_run
from groupx.store.transactions.recover import recover_all
from groupx.store.upgrade import Upgrade
from groupx.supervisor.child import describe
from groupx.supervisor.early_signals import keep_signals
from groupx.supervisor.endless import until_stopping
from groupx.supervisor.lease import RunLease
from groupx.supervisor.listener import bind_port
from groupx.supervisor.obeying import run_obeying
from groupx.supervisor.tree import (
    ChildContext,
    ChildSpec,
    ChildState,
    ChildStatus,
    Supervisor,
)
from groupx.web.app import create_guards, open_room
from groupx.web.login import LoginCodes
from groupx.web.server import WebServer
from groupx.web.services import (
    AssistantFace,
    Entrance,
    Notice,
    RuntimeFacts,
    Services,
    SetupFace,
    Status,
)
from groupx.web.token import Token

EXIT_STUCK = 70
OPENING_SECONDS = 3600.0
"""A large database takes its time; the store is not given up for that."""
CLOSING_SECONDS = 5.0
"""For a part that has to end something first; then it is cancelled."""

_log = structlog.stdlib.get_logger("groupx.runtime")


def run_runtime(plan: Plan, listening: socket.socket | None = None) -> int | None:
    """Run until asked to stop. RuntimeFailed when it could not go on by itself.

    `listening` is a port that was opened for it before. Returns the port on which it is to begin
    again, None when it was to end.
    What is refused is raised too, and leaves nothing behind: PortTaken, PortUnusable, LeaseTaken,
    LeaseImpossible, SpawnError, GroupXError (a database that cannot be opened, an agent whose
    driver is not known).
    """
    adapters = {agent.actor_id: adapter_for(agent.driver) for agent in plan.config.enabled_agents()}
    assistant = plan.config.enabled_assistant
    if assistant is not None:
        adapters[USER_ASSISTANT] = adapter_for(assistant.brain.driver)
    paths = plan.paths
    with ExitStack() as held:
        if listening is None:
            configure_log(plan.log_file)
            listening = bind_port(plan.config.server.host, plan.listen_port)
        held.enter_context(closing(listening))
        make_private_folders(paths)
        database = None if paths.database is None else Path(paths.database)
        lease = held.enter_context(RunLease.acquire(database, Path(paths.data)))
        Path(paths.runtime_file).unlink(missing_ok=True)  # that port is anybody's now
        keep_signals()
        return trio.run(partial(_main, plan, listening, lease, adapters))


async def _main(
    plan: Plan, listening: socket.socket, lease: RunLease, adapters: dict[ActorId, Adapter]
) -> int | None:
    port: int = listening.getsockname()[1]
    again = await Runtime(plan, listening, lease, adapters).run()
    return port if again else None


class Runtime:
    """One run of the daemon, with the port bound and the lease held."""

    def __init__(
        self,
        plan: Plan,
        listening: socket.socket,
        lease: RunLease,
        adapters: dict[ActorId, Adapter],
    ) -> None:
        config = plan.config
        self._plan = plan
        self._config = config
        self._paths = plan.paths
        self._adapters = adapters
        self._status = Status.STARTING
        self._was_ready = False
        self._again = False
        self._failed: str | None = None
        self._upgrade = UpgradeReport(plan.on_upgrade)
        self._started_ms = _now_ms()
        self._ids = IdSource(_now_ms, os.urandom)
        port: int = listening.getsockname()[1]
        self._callers = Callers(f"http://127.0.0.1:{port}", os.urandom)
        self._mcp = McpMount(self._callers)
        self._spawner = Spawner()
        token = open_token(Path(plan.paths.token))
        self._setup = self._setup_desk(port, token)
        self._entrance = self._entrance_at(port, token)
        self._guards = create_guards(self._entrance)
        self._web = WebServer(listening, self._guards, self._guards.answers_at_once)
        self._processes = ProcessesPart(
            spawner=self._spawner,
            paths=plan.paths,
            port=port,
            scope_key=self._entrance.facts.runtime_scope_key,
            lost=lease.lost,
        )
        self._hub = EventHub(config.limits)
        self._bells = LaneBells(agent.actor_id for agent in config.agents)
        self._ledger = RunLedger(
            paths=plan.paths,
            limits=config.limits,
            lost=lease.lost,
            upgrade=Upgrade(keep_copy=plan.keep_copy, watch=self._upgrade),
            now_ms=_now_ms,
        )
        self._store = StoreWriterActor(self._ledger.thread, self._hub, self._bells)
        self._room: Room
        self._services: Services
        self._tree = Supervisor(
            self._parts(), on_change=self._on_change, on_stuck=lambda _: os._exit(EXIT_STUCK)
        )

    def _setup_desk(self, port: int, token: Token) -> SetupDesk:
        return SetupDesk(
            Path(self._config.path),
            drivers=ADAPTERS,
            port=port,
            port_is_given=self._plan.port is not None,
            revision_key=token.key_for("setup"),
            running=self._config,
            on_pending=self._show_pending,
        )

    def _entrance_at(self, port: int, token: Token) -> Entrance:
        """What the web needs before there is a room."""
        return Entrance(
            facts=RuntimeFacts(
                version=__version__,
                channel=self._paths.channel,
                started_at=iso_from_ms(self._started_ms),
                runtime_key=runtime_key(self._config),
                runtime_scope_key=runtime_scope_key(self._config.path),
                port=port,
            ),
            status=lambda: self._upgrade.status(self._status),
            request_shutdown=self._stop,
            request_restart=self._restart,
            token=token,
            logins=LoginCodes(token, on_spent=self._remove_open_page),
            mcp=self._mcp,
            setup=SetupFace(
                desk=self._setup,
                programs=Programs(ADAPTERS, self._spawner),
                checks=Checks(ADAPTERS, self._spawner),
            ),
        )

    async def run(self) -> bool:
        """Until stopped in order; whether to begin again.

        Raises RuntimeFailed, or what was refused before it was ready.
        """
        failure = await run_obeying(self._tree, stop=self._stop, exit_hard=os._exit)
        if failure is None:
            _log.info("stopped", again=self._again)
            return self._again
        cause = failure.__cause__
        if isinstance(self._store.ledger.death, LeaseLost):
            raise RoomTaken(self._store.ledger.death) from cause
        if isinstance(cause, GroupXError) and not self._was_ready:
            raise self._upgrade.told_with(cause) from cause
        if isinstance(cause, SpawnError) and not self._was_ready:
            raise cause
        raise RuntimeFailed(failure.name, "" if cause is None else describe(cause)) from cause

    def _parts(self) -> tuple[ChildSpec, ...]:
        """In the order of their start; they stop in reverse."""
        config = self._config
        fatal = partial(ChildSpec, fatal=True, stop_grace=CLOSING_SECONDS)
        survivable = partial(ChildSpec, when_spent="escalate")
        return (
            fatal(name="web", run=self._web.run_as_part),
            fatal(name="processes", run=self._processes.run),
            fatal(name="store", run=self._keep_store, start_timeout=OPENING_SECONDS),
            fatal(name="hub", run=until_stopping(lambda: EventHubActor(self._hub).run)),
            fatal(name="broker", run=until_stopping(lambda: self._room.broker.run)),
            survivable(name="context", run=until_stopping(lambda: self._room.context.run)),
            survivable(name="lanes", run=until_stopping(lambda: self._room.lanes.run)),
            ChildSpec(name=ROLLUPS.name, run=until_stopping(lambda: self._room.rollups.run)),
            ChildSpec(name=SEARCH.name, run=until_stopping(lambda: self._room.search.run)),
            fatal(name="mcp", run=self._serve_mcp),
            fatal(
                name="agents",
                run=self._supervise_agents,
                stop_grace=stop_seconds(config) + SLACK_SECONDS,
            ),
            ChildSpec(
                name=ASSISTANT,
                run=self._run_assistant,
                stop_grace=stop_seconds(config) + SLACK_SECONDS,
            ),
            fatal(name="door", run=self._keep_door),
        )

    # --- parts, each until it is asked to stop ------------------------------------------------

    async def _keep_store(self, context: ChildContext) -> None:
        try:
            await self._store.start()
        except GroupXError as error:
            if error.code is not ErrorCode.RUNTIME_CLOSING:
                raise
            _log.info("stopped while the database was upgraded; it is as it was")
            await context.stopping.wait()  # the stop that called it off comes to every part
            return
        try:
            keep_thread_fed(lambda: self._store.ledger.pending)
            self._services = await self._open_room()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._store.run)
                context.ready()
                await context.stopping.wait()
                nursery.cancel_scope.cancel()
        finally:
            await self._store.close()

    async def _serve_mcp(self, context: ChildContext) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(self._mcp.run, partial(load_desks, self._room_face()))
            context.ready()
            await context.stopping.wait()
            nursery.cancel_scope.cancel()

    async def _supervise_agents(self, context: ChildContext) -> None:
        await self._room.agents.run(context)

    async def _run_assistant(self, context: ChildContext) -> None:
        await self._room.assistant.run(context)

    async def _keep_door(self, context: ChildContext) -> None:
        """Open to requests as the last of the start; closed, and every stream ended, first."""
        open_room(self._guards, self._services)
        self._status = Status.READY
        self._was_ready = True
        port = self._entrance.facts.port
        code = self._entrance.logins.new()
        self._plan.on_ready(port, f"http://127.0.0.1:{port}/login?code={code}")
        _log.info("ready", port=port, database=self._paths.database)
        context.ready()
        await context.stopping.wait()
        _log.info("stopping")
        self._close_door()
        await self._web.end_streams()

    # --- the room ------------------------------------------------------------------------------

    async def _open_room(self) -> Services:
        """Recovery phase 1, then everything that a request may want."""
        config, store = self._config, self._store.ref
        names = {agent.actor_id: agent.name for agent in config.agents}
        assistant = config.enabled_assistant
        run = OpenRun(agents=names, assistant_name=assistant and assistant.name)
        opened = await store.ask(Write(open_run, run))
        recovered = await store.ask(Write(recover_all, self._recovery()))
        self._room = put_together(
            opened.room_id,
            RoomPorts(
                config=config,
                run_dir=Path(self._paths.run),
                adapters=self._adapters,
                hub=self._hub,
                bells=self._bells,
                store=self._store,
                callers=self._callers,
                spawner=self._spawner,
                ids=self._ids,
                now_ms=_now_ms,
            ),
        )
        return Services(
            **_fields(self._entrance),
            broker=self._room.broker.ref,
            assistant=self._assistant_face(),
            context=self._room.context.ref,
            store=store,
            directory=self._room.directory,
            hub=self._hub,
            limits=config.limits,
            ids=self._ids,
            now_ms=_now_ms,
            database=await self._ledger.facts(store),
            store_health=lambda: store_health(self._store.ledger),
            rollups_health=lambda: self._room.rollups.health,
            search_health=lambda: self._room.search.health,
            backups=self._ledger.backups(store),
            notices=self._notices(recovered),
        )

    def _recovery(self) -> RecoverQuery:
        roster = frozenset(agent.actor_id for agent in self._config.enabled_agents())
        adapters = (self._adapters[actor_id] for actor_id in roster)
        return RecoverQuery(
            roster=roster,
            transport=self._config.transport,
            reconcilable=frozenset(it.adapter_id for it in adapters if it.can_reconcile),
        )

    def _notices(self, recovered: Recovered) -> tuple[Notice, ...]:
        """What the user should know of this start, the most important first."""
        clock = time.strftime("%H:%M", time.localtime(self._started_ms / 1000))
        upgraded = self._upgrade.upgraded
        said = (
            None if upgraded is None else upgrade_notice(upgraded),
            restart_notice(recovered, clock=clock),
            *config_notices(self._config),
        )
        at, after_seq = self._entrance.facts.started_at, recovered.through_seq
        return tuple(
            Notice(code=it.code, message=it.message, facts=it.facts, at=at, after_seq=after_seq)
            for it in said
            if it is not None
        )

    def _assistant_face(self) -> AssistantFace:
        part = self._room.assistant
        return AssistantFace(board=part.board, ref=part.actor and part.actor.ref)

    def _room_face(self) -> RoomFace:
        return RoomFace(
            broker=self._room.broker.ref,
            context=self._room.context.ref,
            store=self._store.ref,
            directory=self._room.directory,
            hub=self._hub,
            timeouts=self._config.timeouts,
            ids=self._ids,
            setup=self._setup,
        )

    # --- the end --------------------------------------------------------------------------------

    def _stop(self) -> None:
        self._status = Status.CLOSING
        self._upgrade.give_up()
        self._store.ledger.stop_waiting()
        self._tree.stop()

    def _restart(self) -> None:
        self._again = True
        self._stop()

    def _show_pending(self, pending: PendingRestart) -> None:
        self._room.directory.show_pending(pending.added)

    def _on_change(self, status: ChildStatus) -> None:
        if status.name == ASSISTANT:
            self._room.assistant.changed(status)
        elif status.name == ROLLUPS.name:
            self._room.rollups.changed(status)
        elif status.name == SEARCH.name:
            self._room.search.changed(status)
        elif status.state is ChildState.FAILED:
            if self._failed is not None:  # the first one is raised, and said by who started this
                _log.error("another part failed", part=status.name, error=status.error)
            self._failed = self._failed or status.name
            self._close_door()
            if status.name == "store":
                self._tree.hurry()  # nothing that is still to be written can be

    def _close_door(self) -> None:
        """Refuse every new request and end every wait."""
        self._status = Status.CLOSING
        if self._was_ready:
            self._room.broker.drain()
        self._hub.release("runtime_stop")

    def _remove_open_page(self) -> None:
        Path(self._paths.open_page).unlink(missing_ok=True)


def _fields(entrance: Entrance) -> dict[str, Any]:
    return {field.name: getattr(entrance, field.name) for field in attrs.fields(Entrance)}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
