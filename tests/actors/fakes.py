"""A scripted native program behind the adapter contract, and a room around it on virtual time."""

import itertools
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import trio
import trio.testing

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
from groupx.actors.mailbox import Bell
from groupx.actors.member_commands import MemberCommands
from groupx.actors.memory_commands import MemoryCommands
from groupx.actors.messages import (
    CancelTurn,
    ControlAgentCommand,
    SendMessage,
    SetLane,
    WithdrawMessage,
    Write,
)
from groupx.actors.operator_commands import OperatorCommands
from groupx.actors.private_folders import PrivateFolders
from groupx.actors.room_commands import RoomCommands
from groupx.actors.session_keeper import SessionPorts
from groupx.actors.side_sessions import SideAnswer, SideProgram, SideSessions
from groupx.actors.store_writer import StoreWriterActor
from groupx.actors.supervision_commands import SupervisionCommands
from groupx.actors.terms import Terms
from groupx.actors.transient import Transients
from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    ContentDelta,
    EventSink,
    Exited,
    NativeEvent,
    NativeSession,
    PastAttempt,
    ProbeReport,
    PromptEnd,
    Reconciled,
    SessionFacts,
    SessionProfile,
    Started,
)
from groupx.domain.commands import CancelAnswer
from groupx.domain.commits import CommitFacts, Frame
from groupx.domain.config import AgentConfig
from groupx.domain.envelope import Envelope
from groupx.domain.ids import MAIN_ROOM, ActorId, IdSource
from groupx.domain.limits import Limits, Timeouts
from groupx.domain.runs import OpenRun
from groupx.domain.views import AgentView
from groupx.store.inline import InlineStore
from groupx.store.opening import open_ledger
from groupx.store.transactions.bindings import open_run
from groupx.supervisor.tree import ChildSpec, Supervisor

START_MS = 1_770_000_000_000


class FakePrompt:
    """One prompt that reached the program; the test says what it does with it."""

    def __init__(self, session: "FakeSession", text: str, sink: EventSink) -> None:
        self.session = session
        self.text = text
        self.cancels = 0
        self.cancelled = trio.Event()
        self._sink = sink
        self._end: PromptEnd | None = None
        self._over = trio.Event()

    @property
    def source(self) -> str:
        """The event that this prompt is about: the last entry of its packet."""
        return re.findall(r"<entry \w+ id=(\S+) ", self.text)[-1]

    def emit(self, *events: NativeEvent) -> None:
        for event in events:
            self._sink(event)

    def say(self, text: str = "done") -> None:
        self.emit(Started("native-turn"), ContentDelta(text))

    def finish(self, end: PromptEnd) -> None:
        if self._end is None:
            self._end = end
            self._over.set()

    def answer(self, text: str = "done") -> None:
        self.say(text)
        self.finish(Completed())

    async def end(self) -> PromptEnd:
        await self._over.wait()
        assert self._end is not None
        return self._end


class FakeSession:
    """A session of the fake program."""

    def __init__(self, program: "FakeProgram", profile: SessionProfile, native_id: str) -> None:
        self.program = program
        self.profile = profile
        self.native_id = native_id
        resumed = profile.resume is not None
        self._facts = SessionFacts(
            native_session_id=native_id,
            protocol="fake",
            program_name="fake",
            program_version="1",
            continuity="resumed" if resumed else "new",
            capabilities={"cancel": "verified"},
        )
        self.closed = trio.Event()
        self.broken = False
        self.killed = False
        self.prompt_now: FakePrompt | None = None

    @property
    def facts(self) -> SessionFacts:
        return self._facts

    @property
    def usable(self) -> bool:
        return not self.broken and not self.closed.is_set()

    async def prompt(self, text: str, sink: EventSink, *, attempt_id: str = "") -> PromptEnd:
        assert self.prompt_now is None, "two prompts at once"
        prompt = self.prompt_now = FakePrompt(self, text, sink)
        self.program.prompts.append(prompt)
        self.program.incoming.send_nowait(prompt)
        try:
            if self.closed.is_set():
                return Exited(returncode=1)
            if self.program.script is not None:
                await self.program.script(prompt)
            return await prompt.end()
        finally:
            self.prompt_now = None

    async def cancel(self) -> None:
        if self.prompt_now is None:
            return
        self.prompt_now.cancels += 1
        self.prompt_now.cancelled.set()
        if self.program.confirms_cancel:
            self.prompt_now.finish(Cancelled())
        await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        await trio.sleep(0.1)
        self.exit(0)

    def kill(self) -> None:
        self.killed = True
        self.exit(-9)

    def exit(self, returncode: int) -> None:
        self.closed.set()
        if self.prompt_now is not None:
            self.prompt_now.finish(Exited(returncode=returncode, stderr_excerpt="last words"))


class FakeProgram:
    """An adapter and what its program does; every prompt it ever got is in `prompts`."""

    driver = "demo"
    adapter_id = "demo"

    def __init__(self) -> None:
        self.can_reconcile = False
        self.record: Callable[[PastAttempt, EventSink], Awaitable[Reconciled]] | None = None
        """How it answers what became of a prompt; None = never."""
        self.asked: list[PastAttempt] = []
        self.prompts: list[FakePrompt] = []
        self.sessions: list[FakeSession] = []
        self.profiles: list[SessionProfile] = []
        self.start_errors: list[AdapterStartError] = []
        self.always_fails: AdapterStartError | None = None
        self.exits_after: float | None = None
        """Seconds from being ready."""
        self.start_seconds = 0.05
        self.confirms_cancel = True
        self.script: Callable[[FakePrompt], Awaitable[None]] | None = None
        self.incoming, self._arrived = trio.open_memory_channel[FakePrompt](1_000)

    async def next_prompt(self) -> FakePrompt:
        return await self._arrived.receive()

    async def probe(self, profile: SessionProfile, spawner: Any) -> ProbeReport:
        return ProbeReport(found=True)

    async def reconcile(
        self, profile: SessionProfile, spawner: Any, attempt: PastAttempt, sink: EventSink
    ) -> Reconciled:
        self.asked.append(attempt)
        await trio.sleep(self.start_seconds)
        if self.record is None:
            await trio.sleep_forever()
        return await self.record(attempt, sink)

    async def serve(
        self,
        profile: SessionProfile,
        spawner: Any,
        *,
        task_status: trio.TaskStatus[NativeSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        self.profiles.append(profile)
        await trio.sleep(self.start_seconds)
        if self.always_fails is not None:
            raise self.always_fails
        if self.start_errors:
            raise self.start_errors.pop(0)
        number = len(self.sessions) + 1
        native_id = profile.resume or f"native-{profile.agent_id}-{number}"
        session = FakeSession(self, profile, native_id)
        self.sessions.append(session)
        task_status.started(session)
        if self.exits_after is not None:
            if self.exits_after:
                await trio.sleep(self.exits_after)
            session.exit(1)
        try:
            await session.closed.wait()
        finally:
            session.exit(-9)


async def at_once(work: Callable[[], Any]) -> None:
    """Virtual time would run on while a thread works."""
    work()


async def answers(prompt: FakePrompt) -> None:
    """A script: work for a second, then say so."""
    await trio.sleep(1)
    prompt.answer(f"answer {len(prompt.session.program.prompts)}")


class WatchedHub(EventHub):
    """A hub that tells its test when anything happens."""

    happened = trio.Event()

    def append(self, frames: Sequence[Frame]) -> None:
        super().append(frames)
        self._tell()

    def publish(self, envelope: Envelope) -> None:
        super().publish(envelope)
        self._tell()

    def _tell(self) -> None:
        happened, self.happened = self.happened, trio.Event()
        happened.set()


class Room:
    """Everything of the daemon that an agent's actor works with, on an in-memory ledger."""

    def __init__(self, run_dir: Path, *names: str, limits: Limits, timeouts: Timeouts) -> None:
        self.jumped_ms = 0
        """How far the clock on the wall was moved by hand."""
        self.local_date = "2026-02-02"
        self.limits, self.timeouts = limits, timeouts
        self.agents = {
            ActorId(f"agent:{name}"): AgentConfig(id=name, driver="demo", name=name, cwd="/")
            for name in names
        }
        self.programs = {actor_id: FakeProgram() for actor_id in self.agents}
        self.random = random.Random(11)
        self.run_dir = run_dir
        self.ids = IdSource(self.now_ms, self.random.randbytes)
        self.hub = WatchedHub(limits, clock=trio.current_time)
        self.transients = Transients(
            hub=self.hub, ids=self.ids, now_ms=self.now_ms, room_id=MAIN_ROOM
        )
        self.bells = LaneBells(self.agents)
        self.callers = Callers("http://127.0.0.1:4310", self.random.randbytes)
        self.writer = StoreWriterActor(self._open, self.hub, self.bells)
        self.store = self.writer.ref
        self.directory = AgentDirectory(
            tuple(self.agents.values()),
            adapter_ids=dict.fromkeys(self.agents, "demo"),
            transients=self.transients,
            now_ms=self.now_ms,
        )
        self.side: Any = SideSessions(
            {
                actor_id: SideProgram(agent=agent, sessions=self.session_ports(actor_id))
                for actor_id, agent in self.agents.items()
            }
        )
        """What asks programs beside the room; a test may put its own in its place."""
        self.compacted = Bell()
        self.compactor = Compactor(
            CompactorPorts(
                store=self.store,
                side=self,
                directory=self.directory,
                transients=self.transients,
                ids=self.ids,
                limits=limits,
                entropy=self.random.randbytes,
                jitter=lambda: 0.0,
                on_compacted=self.compacted.ring,
            )
        )
        self.context = ContextEngineActor(
            store=self.store,
            agents=self.agents,
            limits=limits,
            entropy=self.random.randbytes,
            compactor=self.compactor,
        )
        self.supervisor = AgentsSupervisor(
            {actor_id: self.lane(actor_id) for actor_id in self.agents},
            self.agent,
            directory=self.directory,
            on_halt=self._halt,
            stop_grace=60.0,
            jitter=lambda: 0.0,
        )
        terms = Terms(self.directory, limits, "structured")
        self.broker = BrokerActor(
            store=self.store,
            agents=self.supervisor.ref,
            bells=self.bells,
            parts=(
                RoomCommands(self.store, self.transients),
                MemoryCommands(self.store),
                ContextCommands(self.store, self.context.ref),
                MemberCommands(self.store, terms),
                SupervisionCommands(self.store, self.bells, terms),
                OperatorCommands(self.store, terms),
            ),
            terms=terms,
        )
        self.tree = Supervisor(
            [ChildSpec(name="agents", run=self.supervisor.run, stop_grace=120.0)]
        )
        self.counter = LaneCounter(
            self.store,
            self.directory,
            self.writer.changed,
            context_characters=limits.context_characters,
        )
        self.commands = itertools.count(1)
        self.conn: Any = None
        self.nursery: trio.Nursery

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        """As the engines ask beside the room."""
        return await self.side.ask(actor_id, text)

    def _halt(self, actor_id: ActorId) -> None:
        """What a test put in its place knows of no stop."""
        if isinstance(self.side, SideSessions):
            self.side.stop(actor_id)

    def now_ms(self) -> int:
        return START_MS + self.jumped_ms + int(trio.current_time() * 1000)

    def _open(self, on_commit: Callable[[CommitFacts], None]) -> InlineStore:
        def opener() -> Any:
            self.conn = open_ledger(
                ":memory:", now_iso="2026-02-01T00:00:00.000Z", database_id="database_x"
            )
            return self.conn

        return InlineStore(opener, ids=self.ids, now_ms=self.now_ms, on_commit=on_commit)

    async def start(self) -> None:
        await self.writer.start()
        names = {actor_id: agent.name for actor_id, agent in self.agents.items()}
        await self.store.ask(Write(open_run, OpenRun(agents=names)))

    def session_ports(self, actor_id: ActorId) -> SessionPorts:
        return SessionPorts(
            adapter=self.programs[actor_id],
            spawner=None,  # type: ignore[arg-type]
            store=self.store,
            ids=self.ids,
            transients=self.transients,
            timeouts=self.timeouts,
            folders=PrivateFolders(parent=self.run_dir, aside=at_once),
            callers=self.callers,
            now_ms=self.now_ms,
            jitter=lambda: 0.0,
        )

    def lane(self, actor_id: ActorId) -> Lane:
        return Lane(
            actor_id=actor_id,
            transport="structured",
            store=self.store,
            local_date=lambda: self.local_date,
        )

    def agent(self, actor_id: ActorId, stopping: trio.Event) -> AgentActor:
        return AgentActor(
            self.agents[actor_id],
            store=self.store,
            context=self.context.ref,
            directory=self.directory,
            transients=self.transients,
            bells=self.bells.of(actor_id),
            lane=self.lane(actor_id),
            sessions=self.session_ports(actor_id),
            stopping=stopping,
        )

    # --- commands ---------------------------------------------------------------------------

    def _id(self) -> str:
        return f"command-{next(self.commands)}"

    async def send(self, *to: str, content: str = "hello") -> list[str]:
        """The turns of a message to these agents."""
        message = SendMessage(client_command_id=self._id(), to=to, content=content)
        return [turn.turn_id for turn in (await self.broker.ref.ask(message)).turns]

    async def cancel(self, turn_id: str, *, force: bool = False) -> CancelAnswer:
        message = CancelTurn(client_command_id=self._id(), turn_id=turn_id, force=force)
        return await self.broker.ref.ask(message)

    async def withdraw(self, turn_id: str) -> None:
        """Take back the message of a turn that waits."""
        [(source,)] = self.rows("SELECT source_event_id FROM turns WHERE turn_id = ?", turn_id)
        message = WithdrawMessage(client_command_id=self._id(), message_event_id=source)
        await self.broker.ref.ask(message)

    async def set_lane(self, actor_id: str, state: Any) -> None:
        message = SetLane(client_command_id=self._id(), lane=ActorId(actor_id), state=state)
        await self.broker.ref.ask(message)

    async def control(
        self, actor_id: str, action: Any, client_command_id: str | None = None
    ) -> AgentView:
        message = ControlAgentCommand(
            client_command_id=client_command_id or self._id(),
            agent=ActorId(actor_id),
            action=action,
        )
        return await self.broker.ref.ask(message)

    # --- what happened ----------------------------------------------------------------------

    def rows(self, sql: str, *values: Any) -> list[Any]:
        return self.conn.execute(sql, values).fetchall()

    def status(self, turn_id: str) -> str:
        return self.rows("SELECT status FROM turns WHERE turn_id = ?", turn_id)[0][0]

    def turn(self, turn_id: str) -> tuple[str, str | None, str | None]:
        """Status, error code and the newest attempt's certainty."""
        [(status, code)] = self.rows(
            "SELECT status, error_code FROM turns WHERE turn_id = ?", turn_id
        )
        certainty = self.rows(
            "SELECT delivery_certainty FROM turn_attempts WHERE turn_id = ? ORDER BY rowid DESC",
            turn_id,
        )
        return status, code, certainty[0][0] if certainty else None

    def events(self, *types: str) -> list[dict[str, Any]]:
        return [
            {"type": kind, "actor": actor, **orjson.loads(body)}
            for kind, actor, body in self.rows(
                "SELECT event_type, actor_id, body_json FROM events ORDER BY seq"
            )
            if kind in types or not types
        ]

    def streamed(self, *types: str) -> list[dict[str, Any]]:
        """Transient events still in the ring."""
        frames = self.hub.ring.frames(0, self.hub.ring.end)
        return [orjson.loads(f.data) for f in frames if f.seq is None and f.type in types]

    def check(self) -> None:
        """What holds whatever happened: no prompt twice, one end per turn, no session left."""
        for program in self.programs.values():
            sources = [prompt.source for prompt in program.prompts]
            assert len(sources) == len(set(sources)), "a prompt was sent twice"
            assert all(session.closed.is_set() for session in program.sessions)
        [(invoked,)] = self.rows(
            "SELECT count(*) FROM turn_attempts WHERE prompt_invoked_at IS NOT NULL"
        )
        assert sum(len(program.prompts) for program in self.programs.values()) <= invoked
        ends = self.rows(
            "SELECT turn_id FROM turns WHERE terminal_event_id IS NOT NULL AND 1 <>"
            " (SELECT count(*) FROM events"
            "  WHERE idempotency_key = 'turn:' || turns.turn_id || ':terminal')"
        )
        assert ends == []
        assert self.rows("SELECT * FROM turn_attempts WHERE terminal_at IS NULL") == []
        assert list(self.run_dir.iterdir()) == []

    async def until(self, condition: Callable[[], bool]) -> None:
        """Look whether something is so whenever anything was committed or shown."""
        with trio.fail_after(7_200):
            while not condition():
                with trio.move_on_after(30):
                    await self.hub.happened.wait()

    async def ended(self, *turn_ids: str) -> None:
        final = {"completed", "failed", "cancelled", "interrupted"}
        await self.until(lambda: all(self.status(turn) in final for turn in turn_ids))
        await trio.testing.wait_all_tasks_blocked()


@asynccontextmanager
async def open_room(
    run_dir: Path,
    *names: str,
    limits: Limits | None = None,
    timeouts: Timeouts | None = None,
    started: bool = True,
    context: bool = True,
) -> AsyncIterator[Room]:
    """A running room; its agents start in the background unless `started` is False."""
    room = Room(run_dir, *names, limits=limits or Limits(), timeouts=timeouts or Timeouts())
    await room.start()
    async with trio.open_nursery() as nursery:
        room.nursery = nursery
        if context:
            nursery.start_soon(room.context.run)
        nursery.start_soon(room.counter.run)
        nursery.start_soon(room.broker.run)
        if started:
            nursery.start_soon(room.tree.run)
        await trio.testing.wait_all_tasks_blocked()
        yield room
        nursery.cancel_scope.cancel()
    room.check()
    await room.writer.close()
