"""`groupx.json` → Config: what the records mean, and what they may not say. Pure."""

import posixpath
from collections.abc import Collection, Mapping
from typing import Never

import attrs

from groupx.domain.addresses import FORMS, LOOPBACK, is_address, socket_address
from groupx.domain.config import (
    BUILT_IN_DRIVERS,
    AgentConfig,
    AssistantConfig,
    BrainConfig,
    Config,
    ServerConfig,
)
from groupx.domain.config_document import (
    AgentDocument,
    AssistantDocument,
    Command,
    ConfigDocument,
    ServerDocument,
    read_document,
)
from groupx.domain.config_error import ConfigError, describe, document_path
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import AGENT_ID_RULE, RESERVED_AGENT_IDS, is_agent_id
from groupx.domain.limits import Limits, Timeouts
from groupx.domain.wire import camel

SMALLEST_CONFIG = '{"agents": {"kimi": {"command": "kimi", "cwd": "."}}}'

_MAX_NAME = 80
_MAX_IDENTITY = 20_000
_DAY_MS = 86_400_000

_RANGES: Mapping[str, tuple[int, int]] = {
    "limits.messageCharacters": (1, 1_000_000),
    "limits.queuePerAgent": (1, 100_000),
    "limits.rootTurns": (1, 10_000),
    "limits.hopCount": (1, 1_000),
    "limits.actorCallsPerRoot": (1, 10_000),
    "limits.steersPerSubjectTurn": (1, 100),
    "limits.contextCharacters": (8_000, 10_000_000),
    "limits.sseEvents": (16, 1_000_000),
    "limits.sseBytes": (65_536, 1_073_741_824),
    **{f"timeouts.{camel(field.name)}": (100, _DAY_MS) for field in attrs.fields(Timeouts)},
}


def parse_config(data: bytes, *, path: str, drivers: Collection[str]) -> Config:
    """The Config of one file's bytes; `path` is its canonical path, `drivers` are those there are.

    Raises ConfigError: PROVIDER_NOT_CLAIMED for an unknown driver, else INVALID_ENVELOPE.
    """
    return _Meaning(path, tuple(drivers)).of(read_document(data, file=path))


@attrs.frozen
class _Meaning:
    file: str
    drivers: tuple[str, ...]

    def of(self, document: ConfigDocument) -> Config:
        self._transport(document.transport)
        self._ranges("limits", document.limits)
        self._ranges("timeouts", document.timeouts)
        self._ids(document.agents)
        agents = tuple(self._agent(key, agent) for key, agent in document.agents.items())
        if not any(agent.enabled for agent in agents):
            self._refuse(("agents",), "no enabled agent", 'at least one agent with "enabled": true')
        storage = document.storage.path
        assistant = document.assistant
        return Config(
            path=self.file,
            server=self._server(document.server),
            storage_path=None if not storage else self._path(("storage", "path"), storage),
            agents=agents,
            assistant=None if assistant is None else self._assistant(assistant),
            limits=document.limits,
            timeouts=document.timeouts,
        )

    def _transport(self, transport: str) -> None:
        if transport == "structured":
            return
        allowed = '"structured"'
        if transport == "direct":
            allowed += ", which replaces direct: agents are spoken to by their own wire protocol"
        self._refuse(("transport",), describe(transport), allowed)

    def _server(self, server: ServerDocument) -> ServerConfig:
        if server.host != LOOPBACK:
            self._refuse(
                ("server", "host"),
                describe(server.host),
                f'"{LOOPBACK}" only: whoever can reach the port can act as you',
            )
        if not 0 <= server.port <= 65_535:
            self._refuse(("server", "port"), describe(server.port), "0 to 65535 (0 = any free)")
        return ServerConfig(host=server.host, port=server.port)

    def _ranges(self, section: str, values: Limits | Timeouts) -> None:
        for field in attrs.fields(type(values)):
            key = camel(field.name)
            low, high = _RANGES[f"{section}.{key}"]
            value = getattr(values, field.name)
            if not low <= value <= high:
                self._refuse((section, key), describe(value), f"{low} to {high}")

    def _ids(self, agents: Mapping[str, AgentDocument]) -> None:
        seen: dict[str, str] = {}
        for agent_id in agents:
            where = ("agents", agent_id)
            if agent_id.lower() in RESERVED_AGENT_IDS:
                self._refuse(where, "a reserved id", "any id but " + _either(RESERVED_AGENT_IDS))
            if not is_agent_id(agent_id):
                self._refuse(where, f"the id {describe(agent_id)}", f"ids like {AGENT_ID_RULE}")
            earlier = seen.setdefault(agent_id.lower(), agent_id)
            if earlier != agent_id:
                self._refuse(
                    where, f"'{agent_id}' beside '{earlier}'", "ids that differ in more than case"
                )

    def _agent(self, agent_id: str, agent: AgentDocument) -> AgentConfig:
        at = ("agents", agent_id)
        implied = agent_id.lower() if agent_id.lower() in BUILT_IN_DRIVERS else None
        driver = agent.driver or implied
        if driver is None:
            self._refuse(
                (*at, "driver"),
                "nothing",
                f"one of {_either(self.drivers)} "
                f"(only the ids {_either(BUILT_IN_DRIVERS)} imply it)",
            )
        name = agent.name if agent.name is not None else agent_id
        if not 1 <= len(name.strip()) <= _MAX_NAME:
            self._refuse((*at, "name"), describe(name), f"1 to {_MAX_NAME} characters")
        if len(agent.identity) > _MAX_IDENTITY:
            self._refuse(
                (*at, "identity"),
                f"{len(agent.identity)} characters",
                f"at most {_MAX_IDENTITY} characters",
            )
        self._environment(at, agent.env)
        return AgentConfig(
            id=agent_id,
            driver=self._driver((*at, "driver"), driver),
            name=name,
            identity=agent.identity,
            command=self._command(at, driver, agent.command),
            args=self._args(at, driver, agent.args),
            mode=agent.mode,
            cwd=self._path((*at, "cwd"), agent.cwd),
            env=agent.env,
            enabled=agent.enabled,
        )

    def _assistant(self, assistant: AssistantDocument) -> AssistantConfig:
        at = ("assistant", "brain")
        brain = assistant.brain
        self._environment(at, brain.env)
        return AssistantConfig(
            enabled=assistant.enabled,
            name=assistant.name,
            brain=BrainConfig(
                driver=self._driver((*at, "driver"), brain.driver),
                command=self._command(at, brain.driver, brain.command),
                args=self._args(at, brain.driver, brain.args),
                mode=brain.mode,
                cwd=self._path((*at, "cwd"), brain.cwd),
                env=brain.env,
            ),
            extra_instructions=assistant.extra_instructions,
        )

    def _driver(self, where: tuple[str, ...], driver: str) -> str:
        if driver in self.drivers:
            return driver
        raise ConfigError(
            self.file,
            document_path(where),
            found=f"the unknown driver {describe(driver)}",
            allowed=f"one of {_either(self.drivers)} (acp: any program that speaks ACP)",
            code=ErrorCode.PROVIDER_NOT_CLAIMED,
        )

    def _command(
        self, at: tuple[str, ...], driver: str, command: Command | None
    ) -> tuple[str, ...]:
        where = (*at, "command")
        if driver == "demo":
            if command is not None:
                self._refuse(where, "a command", "none: the demo agent is built in")
            return ()
        if command is None:
            self._refuse(where, "nothing", f"the program to start for driver {driver}")
        if is_address(command[0]) and not (
            driver == "codex" and len(command) == 1 and _is_local(command[0])
        ):
            self._refuse(where, describe(command[0]), f"a program; for driver codex also {FORMS}")
        return command

    def _args(self, at: tuple[str, ...], driver: str, args: tuple[str, ...]) -> tuple[str, ...]:
        if args and driver != "acp":
            self._refuse(
                (*at, "args"),
                f"arguments for driver {driver}",
                "args only with driver acp; this driver adds its own, put a prefix in command",
            )
        return args

    def _environment(self, at: tuple[str, ...], env: Mapping[str, str]) -> None:
        for name in env:
            if not name or "=" in name:
                self._refuse((*at, "env", name), "this name", "variable names without '='")

    def _path(self, where: tuple[str, ...], path: str) -> str:
        if not path or path == "~" or path.startswith("~/"):
            self._refuse(where, describe(path), "a path, absolute or relative to this file (no ~)")
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.file), path))

    def _refuse(self, where: tuple[str, ...], found: str, allowed: str) -> Never:
        raise ConfigError(self.file, document_path(where), found=found, allowed=allowed)


def _is_local(address: str) -> bool:
    try:
        socket_address(address)
    except ValueError:
        return False
    return True


def _either(names: frozenset[str] | tuple[str, ...]) -> str:
    return ", ".join(sorted(names) if isinstance(names, frozenset) else names)
