"""One agent's native session: opened with three tries, watched, ended, and written down."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

import attrs
import trio

from groupx.actors.backoff import backoff_seconds
from groupx.actors.callers import Caller, Callers
from groupx.actors.mailbox import ActorRef, Request
from groupx.actors.messages import Read, ToStore, Write
from groupx.actors.private_folders import PrivateFolders
from groupx.actors.steadfast import insist
from groupx.actors.transient import Transients
from groupx.adapters.contract import (
    Adapter,
    AdapterStartError,
    McpServer,
    NativeSession,
    SessionProfile,
)
from groupx.domain.config import AgentConfig
from groupx.domain.context_reset import SessionEra
from groupx.domain.envelope import EventActor
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import IdSource
from groupx.domain.ledger import InstanceOpened
from groupx.domain.limits import Timeouts
from groupx.domain.notices import Notice
from groupx.domain.runs import CloseInstance, SessionEvent
from groupx.domain.times import iso_from_ms
from groupx.domain.views import Continuity
from groupx.process.spawner import Spawner
from groupx.store.queries.sessions import last_session, was_prompted
from groupx.store.session_era import session_era
from groupx.store.transactions.bindings import close_instance, open_instance
from groupx.store.transactions.session_event import record_session

TRIES = 3
SLACK_SECONDS = 1.0

REQUESTS_OF_A_START = 10
"""More than any driver makes once the handshake is done."""

T = TypeVar("T")


def start_seconds(timeouts: Timeouts) -> float:
    """How long one start of a program may take, whatever its driver waits for."""
    return (timeouts.handshake + REQUESTS_OF_A_START * timeouts.request) / 1000


@attrs.frozen(kw_only=True)
class SessionPorts:
    """What it takes to open sessions of one agent."""

    adapter: Adapter
    spawner: Spawner
    store: ActorRef[ToStore]
    ids: IdSource
    transients: Transients
    timeouts: Timeouts
    folders: PrivateFolders
    callers: Callers
    now_ms: Callable[[], int]
    jitter: Callable[[], float]


@attrs.define(eq=False, kw_only=True)
class OpenSession:
    """A session that has been handed over, and the task that serves it."""

    instance_id: str
    binding_id: str
    native: NativeSession
    era: SessionEra
    """As it was when the session was asked for."""
    continuity: Continuity
    serving: trio.CancelScope
    ended: trio.Event
    """Set once nothing of it is left."""
    prompts: int = 0
    """How many it was sent."""

    @property
    def usable(self) -> bool:
        """Whether another prompt may be sent into it."""
        return self.native.usable and not self.native.closed.is_set()


class SessionKeeper:
    """Keeps at most one session. Its serving task lives in the agent's nursery."""

    def __init__(self, agent: AgentConfig, ports: SessionPorts, nursery: trio.Nursery) -> None:
        self._agent = agent
        self._ports = ports
        self._nursery = nursery
        self._lost_one = False
        self._failures = 0
        """Starts in a row that came to nothing."""
        self.current: OpenSession | None = None

    async def open(self) -> OpenSession:
        """Start the program; AdapterStartError when it failed three times in a row.

        A session of an earlier run is resumed where the program can; after a loss within this
        run a new one begins, and its packets rebuild what an earlier one knew.
        """
        instance_id = self._ports.ids.new("instance")
        # First: a room or a reset that comes meanwhile makes this a session of the era before.
        era = await self._ask(Read(session_era, None))
        await self._record("session.starting", instance_id)
        resume = None if self._lost_one else await self._earlier_session()
        while True:
            try:
                return await self._try(instance_id, era, resume)
            except AdapterStartError as error:
                if resume is None or error.code is not ErrorCode.NATIVE_RESUME_UNSUPPORTED:
                    await self.count_failure(instance_id, error)
            resume = None

    async def count_failure(self, instance_id: str, error: AdapterStartError) -> None:
        """A start that failed, or a session that ended before its first prompt: waits until the
        next may be tried, or raises the error when there is to be none."""
        self._failures += 1
        if self._failures < TRIES and error.transient:
            await self._pause(self._failures, error)
            return
        attempt, self._failures = self._failures, 0
        code = str(error.code)
        await self._record("session.failed", instance_id, error_code=code, attempt=attempt)
        raise error

    def prompted(self, session: OpenSession) -> None:
        """The session is about to be sent a prompt: its start was none that failed."""
        session.prompts += 1
        self._failures = 0

    async def drop(self, *, error_code: str | None = None) -> None:
        """End what is left of a lost session; the next one is a new one."""
        session = self.current
        if session is None:
            return
        await self._kill(session)
        self._lost_one = True
        self.current = None
        await self._write_down_end(session, "failed" if error_code else "stopped", error_code)

    async def close(self) -> None:
        """End the session by the stop ladder, each step bounded, and write it down."""
        session = self.current
        if session is None:
            return
        with trio.move_on_after(3 * self._ports.timeouts.close / 1000 + SLACK_SECONDS):
            await session.native.close()
            await session.ended.wait()
        if not session.ended.is_set():
            await self._kill(session)
        self.current = None
        await self._write_down_end(session, "stopped", None)

    async def renew(self) -> None:
        """Leave the session and all that came before it: the next one begins a new era."""
        await self.close()
        self._lost_one = False

    async def _kill(self, session: OpenSession) -> None:
        session.native.kill()
        with trio.move_on_after(self._ports.timeouts.close / 1000):
            await session.ended.wait()
        session.serving.cancel()
        await session.ended.wait()

    async def _earlier_session(self) -> str | None:
        last = await self._ask(Read(last_session, self._agent.actor_id))
        if last is None or last.adapter_id != self._ports.adapter.adapter_id:
            return None
        return last.native_session_id

    # --- one start ------------------------------------------------------------------------

    async def _try(self, instance_id: str, era: SessionEra, resume: str | None) -> OpenSession:
        serving, ended = trio.CancelScope(), trio.Event()
        caller = Caller(
            desk="member",
            binding_id=self._ports.ids.new("binding"),
            actor_id=self._agent.actor_id,
            instance_id=instance_id,
        )
        native = await self._started(caller, resume, serving, ended)
        facts = native.facts
        continuity: Continuity = "new"
        if resume is not None and facts.continuity == "resumed":
            continuity = "resumed"
        elif await self._ask(Read(was_prompted, self._agent.actor_id)):
            continuity = "rebuilt"
        session = OpenSession(
            instance_id=instance_id,
            binding_id=caller.binding_id,
            native=native,
            era=era,
            continuity=continuity,
            serving=serving,
            ended=ended,
        )
        self.current = session
        opened = InstanceOpened(
            instance_id=instance_id,
            binding_id=session.binding_id,
            actor_id=self._agent.actor_id,
            adapter_id=self._ports.adapter.adapter_id,
            protocol=facts.protocol,
            protocol_version=facts.protocol_version,
            native_session_id=facts.native_session_id,
            continuity=continuity,
            capabilities=facts.capabilities,
        )
        await self._ask(Write(open_instance, opened))
        await self._record(
            "session.resumed" if continuity == "resumed" else "session.ready",
            instance_id,
            continuity=continuity,
        )
        return session

    async def _started(
        self, caller: Caller, resume: str | None, serving: trio.CancelScope, ended: trio.Event
    ) -> NativeSession:
        """The ready session. The driver bounds its own steps; this is the end of them all."""
        seconds = start_seconds(self._ports.timeouts)
        with trio.move_on_after(seconds):
            return await self._nursery.start(self._serve, caller, resume, serving, ended)
        raise AdapterStartError(
            ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT,
            f"{self._agent.name} gave no session within {seconds:g} s and its start was given up. "
            "Nothing was sent to it. Run its program by hand to see where it stops.",
        )

    async def _serve(
        self,
        caller: Caller,
        resume: str | None,
        serving: trio.CancelScope,
        ended: trio.Event,
        task_status: trio.TaskStatus[NativeSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        ports = self._ports
        try:
            with serving, ports.callers.admitted(caller) as mcp:
                async with ports.folders.one(str(caller.instance_id)) as folder:
                    profile = profile_of(self._agent, ports, folder, resume=resume, mcp=mcp)
                    await ports.adapter.serve(profile, ports.spawner, task_status=task_status)
        finally:
            ended.set()

    async def _pause(self, attempt: int, error: AdapterStartError) -> None:
        seconds = backoff_seconds(attempt, self._ports.jitter)
        retry_at = iso_from_ms(self._ports.now_ms() + int(seconds * 1000))
        actor = EventActor(
            actor_id=self._agent.actor_id, kind="agent", display_name=self._agent.name
        )
        body = {
            "driver": self._agent.driver,
            "attempt": attempt,
            "errorCode": str(error.code),
            "retryAt": retry_at,
        }
        self._ports.transients.say(Notice(type="session.retrying", body=body, actor=actor))
        await trio.sleep(seconds)

    # --- what is written ------------------------------------------------------------------

    async def _write_down_end(
        self, session: OpenSession, status: Literal["stopped", "failed"], error_code: str | None
    ) -> None:
        end = CloseInstance(instance_id=session.instance_id, status=status)
        await self._ask(Write(close_instance, end))
        await self._record("session.stopped", session.instance_id, error_code=error_code)

    async def _record(
        self,
        event_type: Literal[
            "session.starting", "session.ready", "session.resumed", "session.stopped",
            "session.failed",
        ],
        instance_id: str,
        *,
        continuity: Continuity | None = None,
        error_code: str | None = None,
        attempt: int | None = None,
    ) -> None:  # fmt: skip
        event = SessionEvent(
            type=event_type,
            actor_id=self._agent.actor_id,
            driver=self._agent.driver,
            instance_id=instance_id,
            continuity=continuity,
            error_code=error_code,
            attempt=attempt,
        )
        await self._ask(Write(record_session, event))

    async def _ask(self, request: Request[ToStore, T]) -> T:
        return await insist(self._ports.store, request)


def profile_of(
    agent: AgentConfig,
    ports: SessionPorts,
    folder: Path,
    *,
    resume: str | None = None,
    mcp: McpServer | None = None,
) -> SessionProfile:
    """What the driver needs to reach the agent's program; `folder` is its own for so long."""
    return SessionProfile(
        agent_id=agent.id,
        command=agent.command,
        args=agent.args,
        cwd=agent.cwd,
        env=agent.env,
        mode=agent.mode,
        resume=resume,
        mcp=mcp,
        timeouts=ports.timeouts,
        run_dir=str(folder),
    )
