"""The real programs as a table: where each is, how it is configured, how it is made to act."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from . import real_settings
from .install_real import fetched


@attrs.frozen(kw_only=True)
class RealProgram:
    """One program that the tests and the capability matrix drive."""

    name: str
    driver: str
    title: str
    environment: Callable[[Path, str], dict[str, str]]
    """(home, URL of the mock model) → its environment, with its settings written into `home`."""
    dialect: str = "chat"
    """The wire format in which it asks its model (see `conformance.mock.server`)."""
    args: tuple[str, ...] = ()
    """The `args` of its agent in a config."""
    mode: str | None = None
    """The `mode` of its agent in a config."""
    forgets: bool = False
    """Whether it may lose a session that was opened just now (see `conformance.notes`)."""
    shell: str
    """What makes the mock model run a shell command with it; `{command}` is in JSON quotes."""
    room: str = "CALL:mcp__groupx__{tool} ARGS:{arguments}"
    """What makes the mock model call the room's tool `{tool}`."""

    def path(self) -> str | None:
        """Where it is: GROUPX_TEST_<NAME>, then PATH, then what install_real fetched."""
        named = os.environ.get(f"GROUPX_TEST_{self.name.upper()}")
        there = fetched(self.name)
        return named or shutil.which(self.name) or (str(there) if there.exists() else None)

    def command(self) -> tuple[str, ...]:
        """Its argv prefix; a Node that was fetched for it runs it."""
        path = self.path()
        assert path is not None, self.missing()
        node = Path(path).with_name("node")
        return (str(node), path) if node.exists() and self.name == "kimi" else (path,)

    def agent(self, home: Path, model_url: str) -> dict[str, Any]:
        """Its agent in a config, with its settings in `home`."""
        agent = {
            "driver": self.driver,
            "command": list(self.command()),
            "cwd": ".",
            "env": self.environment(home, model_url),
        }
        more = {"args": list(self.args), "mode": self.mode}
        return agent | {key: value for key, value in more.items() if value}

    def uses(self, tool: str, **arguments: Any) -> str:
        """What makes the mock model call a tool of the room's."""
        return self.room.format(tool=tool, arguments=json.dumps(arguments))

    def missing(self) -> str:
        """Why its tests are skipped."""
        return (
            f"no {self.name}: set GROUPX_TEST_{self.name.upper()}, put it on PATH, or run "
            f"python -m conformance.install_real {self.name}"
        )


def calls(tool: str, arguments: str) -> str:
    """A template: braces of the arguments doubled, so that only `{…}` of ours is filled in."""
    return f"CALL:{tool} ARGS:{arguments}"


PROGRAMS: Mapping[str, RealProgram] = {
    program.name: program
    for program in (
        RealProgram(
            name="codex",
            driver="codex",
            title="Codex",
            environment=real_settings.codex,
            dialect="responses",
            shell=calls("exec_command", '{{"cmd": "{command}", "yield_time_ms": 30000}}'),
            room="CALL:groupx::{tool} ARGS:{arguments}",
        ),
        RealProgram(
            name="claude",
            driver="claude",
            title="Claude Code",
            environment=real_settings.claude,
            dialect="anthropic",
            shell=calls("Bash", '{{"command": "{command}", "description": "a test"}}'),
        ),
        RealProgram(
            name="grok",
            driver="grok",
            title="Grok",
            environment=real_settings.grok,
            shell=calls("run_terminal", '{{"command": "{command}", "description": "a test"}}'),
            room='CALL:use_tool ARGS:{{"tool_name": "groupx__{tool}", "tool_input": {arguments}}}',
        ),
        RealProgram(
            name="kimi",
            driver="kimi",
            title="Kimi Code",
            environment=real_settings.kimi,
            shell=calls("Bash", '{{"command": "{command}", "description": "a test"}}'),
        ),
        RealProgram(
            name="hermes",
            driver="hermes",
            title="Hermes",
            environment=real_settings.hermes,
            shell=calls("terminal", '{{"command": "{command}"}}'),
        ),
        RealProgram(
            name="opencode",
            driver="acp",
            title="OpenCode",
            environment=real_settings.opencode,
            args=("acp",),
            mode="build",
            shell=calls("bash", '{{"command": "{command}", "description": "a test"}}'),
            room="CALL:groupx_{tool} ARGS:{arguments}",
        ),
        RealProgram(
            name="gemini",
            driver="acp",
            title="Gemini CLI",
            environment=real_settings.gemini,
            dialect="gemini",
            args=("--acp",),
            mode="yolo",
            forgets=True,
            shell=calls("run_shell", '{{"command": "{command}", "description": "a test"}}'),
            room="CALL:groupx_{tool} ARGS:{arguments}",
        ),
    )
}
