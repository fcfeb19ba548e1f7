"""What the runtime hands to the web: first how to stand at the door, later the room behind it."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, Protocol

import attrs

from groupx.actors.assistant_board import AssistantBoard
from groupx.actors.callers import Caller, Desk
from groupx.actors.event_hub import EventHub
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import ToAssistant, ToBroker, ToContext, ToStore
from groupx.domain.ids import IdSource
from groupx.domain.limits import Limits
from groupx.domain.views import AgentView
from groupx.domain.wire import optional
from groupx.setup.checks import Checks
from groupx.setup.desk import SetupDesk
from groupx.setup.programs import Programs
from groupx.web.asgi import Receive, Scope, Send
from groupx.web.backups import Backups
from groupx.web.login import LoginCodes
from groupx.web.token import Token
from groupx.web.views import Views


class Status(StrEnum):
    """Where the runtime is in its life."""

    STARTING = "starting"
    UPGRADING = "upgrading"
    SETUP = "setup"
    READY = "ready"
    CLOSING = "closing"


@attrs.frozen(kw_only=True)
class Progress:
    """How far an upgrade is."""

    done: int
    total: int


@attrs.frozen(kw_only=True)
class RuntimeStatus:
    """The answer of `status()`."""

    status: Status
    progress: Progress | None = optional()


@attrs.frozen(kw_only=True)
class RuntimeFacts:
    """What a runtime knows of itself before anything is started."""

    version: str
    channel: str
    """`release`, `source` and the like; shown, never decided on."""
    started_at: str
    runtime_key: str
    runtime_scope_key: str
    port: int


@attrs.frozen(kw_only=True)
class DatabaseFacts:
    """Which file the room lives in."""

    path: str
    format: int
    database_id: str
    siblings: tuple[str, ...] | None = optional()
    """Other databases found beside it."""


@attrs.frozen(kw_only=True)
class StoreHealth:
    """How the store writer stands, read from memory."""

    state: Literal["ok", "busy", "failed"]
    """`busy`: another program keeps the database locked."""
    pending: int
    """Writes that wait for their commit."""
    fault: str | None = optional()


@attrs.frozen(kw_only=True)
class PartHealth:
    """How a part stands that the room can do without."""

    state: Literal["ok", "restarting", "off"] = "ok"
    fault: str | None = optional()


@attrs.frozen(kw_only=True)
class Notice:
    """Something the user should know of this start, said once: what recovery did, and the like."""

    code: str
    message: str
    facts: Mapping[str, Any] = attrs.field(factory=dict[str, Any])
    """What a face that has words of its own puts into them."""
    at: str
    after_seq: int
    """The newest event that was there before this was to be said."""


class AgentViews(Protocol):
    """The immutable snapshot of every agent (the AgentDirectory)."""

    def views(self) -> Sequence[AgentView]:
        """Every agent as it is now, in config order."""
        ...


@attrs.frozen(kw_only=True)
class AssistantFace:
    """The room's assistant: how it stands, and whom to ask if there is one."""

    board: AssistantBoard
    ref: ActorRef[ToAssistant] | None = None


class McpFace(Protocol):
    """The agents' way into the room."""

    def caller(self, authorization: str | None, desk: Desk) -> Caller:
        """Who sent this; UNAUTHORIZED when its bearer is nobody's."""
        ...

    async def serve(self, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
        """One HTTP request of `caller`; MCP_UNAVAILABLE."""
        ...


@attrs.frozen(kw_only=True)
class SetupFace:
    """The config as a draft, the programs that are there to be agents, and whether they can be."""

    desk: SetupDesk
    programs: Programs
    checks: Checks


@attrs.frozen(kw_only=True)
class Entrance:
    """Enough to answer health, the login and the page without data, from the first moment."""

    facts: RuntimeFacts
    status: Callable[[], RuntimeStatus]
    request_shutdown: Callable[[], None]
    """Asks the runtime to stop; returns at once."""
    request_restart: Callable[[], None]
    """Asks it to stop and then to begin again on the same port; returns at once."""
    token: Token
    logins: LoginCodes
    mcp: McpFace
    setup: SetupFace


@attrs.frozen(kw_only=True)
class Services(Entrance):
    """The whole room; given once the store is open and recovered."""

    broker: ActorRef[ToBroker]
    assistant: AssistantFace
    context: ActorRef[ToContext]
    store: ActorRef[ToStore]
    directory: AgentViews
    hub: EventHub
    limits: Limits
    ids: IdSource
    now_ms: Callable[[], int]
    """Milliseconds since the epoch."""
    database: DatabaseFacts
    store_health: Callable[[], StoreHealth]
    rollups_health: Callable[[], PartHealth]
    """Whether the agents' dated memories are made."""
    search_health: Callable[[], PartHealth]
    """Whether text that is older than the search index is being indexed."""
    backups: Backups
    views: Views = attrs.field(factory=Views)
    notices: tuple[Notice, ...] = ()
