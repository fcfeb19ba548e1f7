"""The contract every driver fulfils: one native program becomes a `NativeSession`."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import attrs
import trio

from groupx.domain.attempts import Reconciliation
from groupx.domain.context_usage import Usage
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts
from groupx.process.spawner import Spawner

# --- what a session needs -------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class McpServer:
    """The room's own MCP endpoint for one binding; the bearer goes in a header, never in argv."""

    name: str
    url: str
    bearer: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class SessionProfile:
    """Everything a driver needs to start one session of one agent."""

    agent_id: str
    command: tuple[str, ...]
    args: tuple[str, ...] = ()
    cwd: str
    env: Mapping[str, str] = attrs.field(factory=dict[str, str], repr=False)
    mode: str | None = None
    resume: str | None = None
    """A native session id to continue; None opens a new one."""
    mcp: McpServer | None = None
    timeouts: Timeouts = attrs.field(factory=Timeouts)
    run_dir: str
    """An existing 0700 folder for files that live as long as the session."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What the program is told, and none of its words may show."""
        return () if self.mcp is None else (self.mcp.bearer,)


@attrs.frozen
class Login:
    """Whether the program is logged in, as far as it can be told without a turn of its model."""

    known: Literal["yes", "no", "unknown"] = "unknown"
    how: str = "it asked for no login; only a turn tells whether its account answers"
    """By what that is told, as a clause."""


@attrs.frozen(kw_only=True)
class SessionFacts:
    """What the handshake established."""

    native_session_id: str | None
    protocol: str
    protocol_version: str | None = None
    program_name: str | None = None
    program_version: str | None = None
    continuity: Literal["new", "resumed", "rebuilt"] = "new"
    capabilities: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """Capability name → documented|advertised|probed|verified|not_observed|unsupported."""
    argv: tuple[str, ...] = ()
    """The argv that was started (no secrets are ever in it)."""
    mcp_injected: bool = False
    login: Login = attrs.field(factory=Login)


class AdapterStartError(Exception):
    """The session could not be opened; no prompt was sent. `transient` = worth another try."""

    def __init__(self, code: ErrorCode, message: str, *, transient: bool = True) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.transient = transient


# --- what happens while a prompt runs -------------------------------------------------------


@attrs.frozen
class Started:
    """Proof that the native turn has begun. Reported once, before anything else of the turn."""

    native_turn_id: str | None = None


@attrs.frozen
class ContentDelta:
    """A piece of the answer, as the program said it.

    `new_segment` = a new native message began with it. That it also begins one after a tool call,
    and the blank line between segments, is for the listener, the same for every driver.
    """

    text: str
    new_segment: bool = False


@attrs.frozen
class ReasoningDelta:
    """A piece of the reasoning."""

    text: str


@attrs.frozen(kw_only=True)
class ToolUpdate:
    """A tool opened, moved or closed. `details` is a bounded projection (≤ 4 KiB as JSON)."""

    phase: Literal["started", "updated", "completed"]
    tool_call_id: str | None
    name: str
    kind: str = "other"
    status: str
    """pending | in_progress | completed | failed | cancelled."""
    details: Mapping[str, Any] = attrs.field(factory=dict[str, Any])


@attrs.frozen
class Heartbeat:
    """The program is alive and did something that is not shown."""


NativeEvent = Started | ContentDelta | ReasoningDelta | ToolUpdate | Usage | Heartbeat
EventSink = Callable[[NativeEvent], None]
"""Called synchronously by the session's reader; must not block and must not raise."""

# --- how a prompt ends ----------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Completed:
    """The program finished the turn. The answer is what the content deltas said."""

    stop_reason: str | None = None
    """Set only when it is not an ordinary end (`max_tokens`, `max_turn_requests`)."""
    usage: Usage | None = None


@attrs.frozen(kw_only=True)
class Failed:
    """The program refused or failed the turn, or what it said cannot be trusted."""

    code: ErrorCode
    message: str
    evidence: bool = True
    """Whether the native turn is known to have begun."""
    session_usable: bool = True


@attrs.frozen(kw_only=True)
class Cancelled:
    """The program confirmed the cancel."""


@attrs.frozen(kw_only=True)
class Interaction:
    """The program asked for a permission, an answer or a choice; it was told no and cancelled."""

    kind: str
    reason: str


@attrs.frozen(kw_only=True)
class Exited:
    """The process ended, closed its output or stopped reading while the prompt ran."""

    returncode: int | None
    stderr_excerpt: str = ""


PromptEnd = Completed | Failed | Cancelled | Interaction | Exited


# --- what became of a prompt whose end nobody saw -------------------------------------------


@attrs.frozen(kw_only=True, eq=False)
class PastAttempt:
    """A prompt that was sent, or about to be, when its daemon or actor ended."""

    attempt_id: str
    native_session_id: str | None
    native_turn_id: str | None
    """None where nothing was heard of it: then only a kept `attempt_id` proves a match."""
    goes_on: trio.Event = attrs.field(factory=trio.Event)
    """Set by the driver: the program outlived us and is still at work on it."""
    stop: trio.Event = attrs.field(factory=trio.Event)
    """Set by the caller: a turn that goes on is to be stopped."""


@attrs.frozen
class Reconciled:
    """What the program's own record says of it; only of that same native turn."""

    outcome: Reconciliation
    end: Completed | Failed | Cancelled | None = None
    """With MATCHED_TERMINAL. Cancelled = the program stopped it before it was done."""
    native_turn_id: str | None = None
    """With a match."""


class NativeSession(Protocol):
    """One open session of one program. One prompt at a time."""

    @property
    def facts(self) -> SessionFacts:
        """What the handshake established."""
        ...

    @property
    def closed(self) -> trio.Event:
        """Set once the process is gone, for whatever reason."""
        ...

    @property
    def usable(self) -> bool:
        """Whether another prompt may be sent; False after a broken line or an ignored cancel."""
        ...

    async def prompt(self, text: str, sink: EventSink, *, attempt_id: str = "") -> PromptEnd:
        """Send one prompt and run it to its one end.

        Writes at most once. Never raises for what the program does: that is the PromptEnd.
        A cancelled caller leaves the session unusable. A program that can keeps `attempt_id`
        with the turn, so that the turn is recognised after a crash.
        """
        ...

    async def cancel(self) -> None:
        """Ask the program to stop the running prompt; a no-op when none runs.

        Repeated by the session where the program may lose it. `prompt` tells the outcome.
        """
        ...

    async def close(self) -> None:
        """Stop ladder: native close, stdin EOF, SIGTERM, SIGKILL of the tree; each step bounded."""
        ...

    def kill(self) -> None:
        """SIGKILL the whole tree now."""
        ...


@attrs.frozen(kw_only=True)
class ProbeReport:
    """What could be told of a program without starting a session."""

    found: bool
    path: str | None = None
    version: str | None = None
    problem: str | None = None
    """What is missing and what to install or do."""
    notes: tuple[str, ...] = ()
    """What is good to know, and hinders nothing."""


class Adapter(Protocol):
    """One driver."""

    @property
    def driver(self) -> str:
        """Its name in the config."""
        ...

    @property
    def adapter_id(self) -> str:
        """Its name in the ledger."""
        ...

    @property
    def can_reconcile(self) -> bool:
        """Whether it can find out after a crash what became of a native turn."""
        ...

    async def reconcile(
        self, profile: SessionProfile, spawner: Spawner, attempt: PastAttempt, sink: EventSink
    ) -> Reconciled:
        """Ask the program, without a prompt, what became of this one; `sink` gets what its turn
        said and did, once it has ended. One that goes on is followed to its end: until then
        `sink` gets heartbeats.

        Never raises for what the program does: that is `unavailable`. The caller bounds the
        time; cancelling it leaves nothing behind.
        """
        ...

    async def probe(self, profile: SessionProfile, spawner: Spawner) -> ProbeReport:
        """Look for the program; bounded in time, sends no prompt."""
        ...

    async def serve(
        self,
        profile: SessionProfile,
        spawner: Spawner,
        *,
        task_status: trio.TaskStatus[NativeSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Start the program, hand over the ready session, serve it until its process is gone.

        Raises AdapterStartError before the session is handed over; afterwards returns normally
        however the process ends. Cancelling it ends the tree.
        """
        ...
