"""What `groupx.json` says, once it has been read and found right."""

from collections.abc import Mapping

import attrs

from groupx.domain.ids import ASSISTANT_SESSION, ActorId, agent_actor
from groupx.domain.limits import Limits, Timeouts

BUILT_IN_DRIVERS = ("codex", "claude", "kimi", "grok", "hermes")
"""Agent ids that imply the driver of the same name."""


@attrs.frozen(kw_only=True)
class AgentConfig:
    """One configured native program. `command` is an argv prefix; `cwd` is absolute."""

    id: str
    driver: str
    name: str
    identity: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    mode: str | None = None
    cwd: str
    env: Mapping[str, str] = attrs.field(factory=dict[str, str])
    enabled: bool = True

    @property
    def actor_id(self) -> ActorId:
        """Its identity in the room."""
        return agent_actor(self.id)


@attrs.frozen(kw_only=True)
class ServerConfig:
    """Where the daemon listens; the host is always loopback."""

    host: str = "127.0.0.1"
    port: int = 4310


@attrs.frozen(kw_only=True)
class BrainConfig:
    """The native program behind the room assistant."""

    driver: str
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    mode: str | None = None
    cwd: str
    env: Mapping[str, str] = attrs.field(factory=dict[str, str])


@attrs.frozen(kw_only=True)
class AssistantConfig:
    """The optional room assistant."""

    enabled: bool
    name: str
    brain: BrainConfig
    extra_instructions: str = ""

    @property
    def program(self) -> AgentConfig:
        """Its program, as a driver takes it; its id is no agent's."""
        brain = self.brain
        return AgentConfig(
            id=ASSISTANT_SESSION,
            driver=brain.driver,
            name=self.name,
            command=brain.command,
            args=brain.args,
            mode=brain.mode,
            cwd=brain.cwd,
            env=brain.env,
        )


@attrs.frozen(kw_only=True)
class Config:
    """One room's configuration; every path in it is absolute."""

    path: str
    """Canonical (realpath) path of the file it was read from."""
    transport: str = "structured"
    server: ServerConfig = attrs.field(factory=ServerConfig)
    storage_path: str | None = None
    agents: tuple[AgentConfig, ...]
    assistant: AssistantConfig | None = None
    limits: Limits = attrs.field(factory=Limits)
    timeouts: Timeouts = attrs.field(factory=Timeouts)

    def enabled_agents(self) -> tuple[AgentConfig, ...]:
        """The roster, in config order."""
        return tuple(agent for agent in self.agents if agent.enabled)

    @property
    def enabled_assistant(self) -> AssistantConfig | None:
        """The assistant to start; None when there is none or it is disabled."""
        return self.assistant if self.assistant is not None and self.assistant.enabled else None
