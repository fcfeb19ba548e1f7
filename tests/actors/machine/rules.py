"""The broker's rules: people, agents and their programs, on virtual time, over several lives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from outcome import Outcome, acapture

from groupx.actors.messages import (
    CancelTurn,
    ContinueRoot,
    MemberSend,
    OpenRoom,
    ReplaceMessage,
    RunAgain,
    SendMessage,
    SetLane,
    WithdrawMessage,
)
from groupx.adapters.contract import (
    AdapterStartError,
    Completed,
    Failed,
    Interaction,
)
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState
from groupx.store.queries.lane import lane_head
from tests.actors.fakes import FakePrompt, answers
from tests.actors.machine.life import Lives
from tests.actors.machine.loop import Loop
from tests.actors.machine.snapshot import snapshot
from tests.store.machine import invariants
from tests.store.machine.history import History
from tests.store.machine.model import ACTIVE, Model
from tests.store.machine.statistics import Statistics
from tests.store.machine.working import Working
from tests.store.machine.world import AGENTS, Step

NONE = "none"
SOON = 0.2
"""Seconds after a command: the lanes have heard of it, and programs that start have started."""
pick = st.integers(0, 31)
actors = st.sampled_from(AGENTS)
commands = st.integers(0, 255)
somebody = st.sampled_from(
    [("agent:a",), ("agent:b",), ("agent:c",), ("agent:a", "agent:b"), ("@all",), ("agent:x",)]
)
seconds = st.sampled_from([0.01, 1.0, 30.0, 700.0])
fuse = st.sampled_from([False, False, False, True])
ENDS = {
    "completed": Completed(),
    "failed": Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="no"),
    "broken": Failed(
        code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message="?", evidence=False, session_usable=False
    ),
    "interaction": Interaction(kind="permission", reason="x"),
}


def deed(**drawn: Any) -> Callable[[Callable[..., None]], Any]:
    """A rule; all have one name, so that Hypothesis leaves none out for a whole run."""

    def make(method: Callable[..., None]) -> Any:
        def deed(self: "BrokerMachine", **values: Any) -> None:
            note(f"# {method.__name__}")
            method(self, **values)

        return rule(**drawn)(deed)

    return make


class Shadow:
    """What the store's steps are built from; here only their judgement is wanted."""

    def __init__(self, conn: Any) -> None:
        self.conn = conn
        self.clock = 0

    def roster(self, *_: Any) -> tuple[()]:
        return ()


class BrokerMachine(RuleBasedStateMachine):
    """The broker, the lanes' actors and fake programs, over an InlineStore."""

    log = Statistics()
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.lives = Lives(self.folder)
        self.loop = Loop(self.lives.run)
        self.history = History()
        self.commands: dict[tuple[str, str], Any] = {}
        self.depth = 0

    def teardown(self) -> None:
        try:
            self.loop.do(self._finish)
        finally:
            self.loop.do(self.lives.end)
            self.loop.join()
        self.log.runs += 1
        self.log.deepest = max(self.log.deepest, self.depth)

    # --- one command ----------------------------------------------------------------------

    def judge(self, message: Any, build: Callable[[Working, Model], Step]) -> None:
        """Ask the broker, and hold its answer against what the rows let expect."""
        self.loop.do(self._judge, message, build)

    async def _judge(self, message: Any, build: Callable[[Working, Model], Step]) -> None:
        room = self.lives.now
        stopped = {entry.actor_id for entry in room.directory.roster() if entry.stopped}
        model = snapshot(room.conn, stopped, self.commands)
        step = build(Working(Shadow(room.conn), model, self.log), model)  # pyright: ignore
        answered: Outcome[Any] = await acapture(room.broker.ref.ask, message)
        step.judge(answered)
        self.commands = model.commands
        await self.loop.pass_time(SOON)

    def turn(self, which: int, *statuses: str) -> str:
        """One of the newest; NONE when there is none."""
        rows = self.lives.now.rows("SELECT turn_id, status FROM turns ORDER BY enqueue_seq DESC")
        found = [turn for turn, status in rows if not statuses or status in statuses][:8]
        return found[which % len(found)] if found else NONE

    # --- people ---------------------------------------------------------------------------

    def _say(self, to: tuple[str, ...], cid: int, content: str) -> None:
        self.judge(
            SendMessage(client_command_id=f"c{cid}", to=to, content=content),
            lambda does, _: does.send(to, content, cid=f"c{cid}"),
        )

    say = deed(to=somebody, cid=commands, content=st.sampled_from(["hello", "go", "x" * 300]))(_say)
    say_more = deed(to=somebody, cid=commands, content=st.just("more"))(_say)

    @deed(kind=st.sampled_from(["retry", "continue"]), which=pick, cid=commands)
    def again(self, kind: Any, which: int, cid: int) -> None:
        turn = self.loop.do(self._turn, which, "failed", "cancelled", "interrupted", "completed")
        if which and turn == NONE:
            return
        self.judge(
            RunAgain(client_command_id=f"a{cid}", kind=kind, turn_id=turn),
            lambda does, _: does.again(kind, turn, cid=f"a{cid}"),
        )

    @deed(which=pick, cid=commands, force=st.booleans(), any_turn=st.booleans())
    def cancel(self, which: int, cid: int, force: bool, any_turn: bool) -> None:
        turn = self.loop.do(self._turn, which, *(() if any_turn else ACTIVE))
        if which and turn == NONE:
            return
        self.judge(
            CancelTurn(client_command_id=f"x{cid}", turn_id=turn, force=force),
            lambda does, _: does.cancel(turn, cid=f"x{cid}", force=force),
        )

    @deed(which=pick, cid=commands, replaces=st.booleans())
    def take_back(self, which: int, cid: int, replaces: bool) -> None:
        message = self.loop.do(self._message, which)
        if which and message == NONE:
            return
        instead = "better" if replaces else None
        asked = (
            ReplaceMessage(client_command_id=f"w{cid}", message_event_id=message, content="better")
            if replaces
            else WithdrawMessage(client_command_id=f"w{cid}", message_event_id=message)
        )
        self.judge(asked, lambda does, _: does.withdraw(message, cid=f"w{cid}", instead=instead))

    @deed(which=pick, cid=commands)
    def let_it_go_on(self, which: int, cid: int) -> None:
        root = self.loop.do(self._root, which)
        if which and root == NONE:
            return
        self.judge(
            ContinueRoot(client_command_id=f"g{cid}", root_correlation_id=root),
            lambda does, _: does.go_on(root, None, cid=f"g{cid}"),
        )

    @deed(cid=commands)
    def open_room(self, cid: int) -> None:
        self.judge(
            OpenRoom(client_command_id=f"o{cid}"), lambda does, _: does.new_room(cid=f"o{cid}")
        )

    @deed(actor=actors, state=st.sampled_from(["paused", "runnable", "runnable"]))
    def lane(self, actor: ActorId, state: Any) -> None:
        self.loop.do(self._lane, actor, state)

    @deed(actor=actors, action=st.sampled_from(["start", "stop", "restart", "start"]))
    def control(self, actor: ActorId, action: str) -> None:
        self.loop.do(self._control, actor, action)

    # --- agents and their programs --------------------------------------------------------

    def _call(self, which: int, to: tuple[str, ...], waits: bool, wake_me: bool) -> None:
        found = self.loop.do(self._caller, which)
        if found is None:
            return
        actor, turn, binding, source = found
        message = MemberSend(
            binding_id=binding,
            actor_id=actor,
            parent_turn_id=turn,
            to=to,
            content="help",
            reply_to_event_id=source,
            wake_me=wake_me,
            waits=waits,
        )
        self.judge(
            message,
            lambda does, _: does.send(
                to,
                "help",
                cid=None,
                parent=turn,
                author=actor,
                binding=binding,
                kind="mcp.ask" if waits else "mcp.send",
                wake_me=wake_me,
            ),
        )

    call = deed(which=pick, to=somebody, waits=st.booleans(), wake_me=st.booleans())(_call)
    call_more = deed(which=pick, to=somebody, waits=st.booleans(), wake_me=st.just(True))(_call)

    @deed(actor=actors)
    def program_speaks(self, actor: ActorId) -> None:
        self.loop.do(self._prompted, actor, lambda prompt: prompt.say("some "))

    def _ends(self, actor: ActorId, end: str) -> None:
        def finish(prompt: FakePrompt) -> None:
            if end == "exit":
                prompt.session.exit(1)
                return
            if end == "completed":
                prompt.say("done")
            prompt.session.broken = end == "broken"
            prompt.finish(ENDS[end])

        self.loop.do(self._prompted, actor, finish)

    program_ends = deed(actor=actors, end=st.sampled_from([*ENDS, "exit"]))(_ends)
    program_answers = deed(actor=actors, end=st.just("completed"))(_ends)
    program_answers_too = deed(actor=actors, end=st.just("completed"))(_ends)

    @deed(actor=actors, confirms=st.booleans(), ill=fuse)
    def program_changes(self, actor: ActorId, confirms: bool, ill: bool) -> None:
        """Whether it obeys a cancel, and whether its next start works."""
        program = self.lives.program(actor)
        program.confirms_cancel = confirms
        if ill:
            program.start_errors.append(
                AdapterStartError(ErrorCode.ADAPTER_START_FAILED, "not now")
            )

    # --- the daemon, the clock ------------------------------------------------------------

    @deed(fuse=fuse)
    def crash(self, fuse: bool) -> None:
        if fuse:
            self.loop.do(self._crash)
            self.log.done["crash"] += 1

    @deed(time=seconds)
    def time_passes(self, time: float) -> None:
        self.loop.do(self.loop.pass_time, time)

    # --- on the loop ----------------------------------------------------------------------

    async def _turn(self, which: int, *statuses: str) -> str:
        await trio.lowlevel.checkpoint()
        return self.turn(which, *statuses)

    async def _message(self, which: int) -> str:
        await trio.lowlevel.checkpoint()
        rows = self.lives.now.rows(
            "SELECT event_id FROM events WHERE event_type = 'message.created'"
            " AND coalesce(idempotency_key, '') NOT LIKE 'turn:%:response' ORDER BY seq DESC"
        )
        return rows[which % min(len(rows), 8)][0] if rows else NONE

    async def _root(self, which: int) -> str:
        await trio.lowlevel.checkpoint()
        rows = self.lives.now.rows(
            "SELECT DISTINCT root_correlation_id FROM events"
            " WHERE event_type = 'routing.loop_stopped'"
        )
        return rows[which % len(rows)][0] if rows else NONE

    async def _caller(self, which: int) -> tuple[ActorId, str, str, str] | None:
        """An agent at work: who, in which turn, by which binding, about what."""
        await trio.lowlevel.checkpoint()
        rows = self.lives.now.rows(
            "SELECT target_actor_id, t.turn_id, a.binding_id, source_event_id FROM turns t"
            " JOIN turn_attempts a ON a.turn_id = t.turn_id AND a.terminal_at IS NULL"
            " ORDER BY enqueue_seq"
        )
        return rows[which % len(rows)] if rows else None

    async def _lane(self, actor: ActorId, state: Any) -> None:
        room = self.lives.now
        asked = SetLane(client_command_id=f"q{self.depth}", lane=actor, state=state)
        view = await room.broker.ref.ask(asked)
        assert view.paused == (state == "paused")

    async def _control(self, actor: ActorId, action: str) -> None:
        await self.lives.now.control(actor, action, client_command_id=f"t{self.depth}")
        self.commands["binding:web", f"t{self.depth}"] = ("control", None)

    async def _prompted(self, actor: ActorId, then: Callable[[FakePrompt], None]) -> None:
        """The program does something about the prompt that it has, if it has one."""
        await trio.lowlevel.checkpoint()
        for session in self.lives.program(actor).sessions:
            if session.prompt_now is not None and not session.closed.is_set():
                then(session.prompt_now)

    async def _crash(self) -> None:
        await self.loop.pass_time(1)  # ids of the next life are newer
        await self.loop.until(self.lives.crash)

    async def _finish(self) -> None:
        """Whatever happened: once everything is well, every turn comes to its end."""
        room = self.lives.now
        for program in room.programs.values():
            program.start_errors.clear()
            program.script = answers
        for actor in AGENTS:
            await self._lane(actor, "runnable")
            self.depth += 1
            await self._control(actor, "restart")
            self.depth += 1
        await self.loop.pass_time(3_600)
        left = room.rows("SELECT turn_id, status FROM turns WHERE terminal_event_id IS NULL")
        assert not left, f"never ends: {left}"
        await self._check()
        self.log.turns += room.rows("SELECT count(*) FROM turns")[0][0]
        self.log.events += self.history.seq
        self.log.ends.update(row[0] for row in room.rows("SELECT status FROM turns"))

    # --- after each step ------------------------------------------------------------------

    @invariant()
    def the_promises_hold(self) -> None:
        self.depth += 1
        self.log.steps += 1
        self.loop.do(self._check)

    async def _check(self) -> None:
        await trio.lowlevel.checkpoint()
        room = self.lives.now
        [(active,)] = room.rows("SELECT room_id FROM rooms WHERE active = 1")
        self.history.observe(room.conn, active)
        invariants.check(room.conn)
        sent = [
            (prompt.source, prompt.session.profile.agent_id)
            for program in self.lives.programs
            for prompt in program.prompts
        ]
        assert len(sent) == len(set(sent)), "a prompt was sent twice"
        invoked = dict(
            room.rows(
                "SELECT source_event_id || target_actor_id, t.status FROM turns t"
                " JOIN turn_attempts a ON a.turn_id = t.turn_id WHERE prompt_invoked_at IS NOT NULL"
            )
        )
        for actor, program in room.programs.items():
            if room.directory.view(actor).state is AgentState.IDLE:
                assert lane_head(room.conn, actor) is None, f"{actor} rests with work to do"
            open_sessions = [s for s in program.sessions if not s.closed.is_set()]
            assert len(open_sessions) <= 1, "two sessions at once"
            for session in open_sessions:
                if session.prompt_now is not None:
                    status = invoked[session.prompt_now.source + actor]
                    assert status in ACTIVE
                    told = session.prompt_now.cancelled.is_set()
                    assert told or status != "cancelling", f"{actor} does not hear of the cancel"
        for program in self.lives.programs:
            for prompt in program.prompts:
                actor = f"agent:{prompt.session.profile.agent_id}"
                assert prompt.source + actor in invoked, "sent before it was on record"


def bound(log: Statistics, folder: Path) -> type[BrokerMachine]:
    """A machine with counts and a folder of its own."""
    return type("BoundBrokerMachine", (BrokerMachine,), {"log": log, "folder": folder})
