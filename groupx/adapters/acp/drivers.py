"""The ACP drivers: how each program is started, and what its quirks are."""

import sys
from typing import TYPE_CHECKING

import attrs

from groupx.adapters.acp import quirks
from groupx.adapters.acp.quirks import Quirks

if TYPE_CHECKING:
    from groupx.adapters.contract import SessionProfile

USER_ARGUMENTS = "{args}"
"""Where in a driver's fixed arguments the configured ones go."""
AGENT_ID = "{agent}"
"""Where the agent's id goes."""


@attrs.frozen(kw_only=True)
class AcpDriver:
    """One row: a program that speaks ACP over stdio."""

    name: str
    program: tuple[str, ...] = ()
    """The argv prefix where the config gives no `command`."""
    arguments: tuple[str, ...] = (USER_ARGUMENTS,)
    quirks: Quirks = quirks.PLAIN
    version_arguments: tuple[str, ...] | None = ("--version",)
    """None: the program must not be started to learn its version."""
    needed_flags: tuple[str, ...] = ()
    help_arguments: tuple[str, ...] = ()
    """What prints a help text that must name every needed flag."""
    install: str
    """What to do when the program is missing or does not start."""

    def prefix(self, profile: "SessionProfile") -> tuple[str, ...]:
        """The program itself."""
        return profile.command or self.program

    def argv(self, profile: "SessionProfile") -> tuple[str, ...]:
        """What is started. No secret is ever in it."""
        given = {USER_ARGUMENTS: profile.args, AGENT_ID: (profile.agent_id,)}
        argv = list(self.prefix(profile))
        for argument in self.arguments:
            argv.extend(given.get(argument, (argument,)))
        return tuple(argv)


ACP = AcpDriver(
    name="acp",
    version_arguments=None,
    install="Check the agent's `command` and `args`: the program must speak ACP on stdio.",
)

KIMI = AcpDriver(
    name="kimi",
    program=("kimi",),
    arguments=("acp", USER_ARGUMENTS),
    quirks=quirks.KIMI,
    install="Install Kimi Code: npm install -g @moonshot-ai/kimi-code (Node 22.19 or newer); the "
    "older Python package kimi-cli no longer works. Then run `kimi login` once.",
)

GROK = AcpDriver(
    name="grok",
    program=("grok",),
    arguments=(
        "--no-auto-update",
        "agent",
        "--no-leader",
        "--always-approve",
        USER_ARGUMENTS,
        "stdio",
    ),
    quirks=quirks.GROK,
    needed_flags=("--no-leader", "--always-approve"),
    help_arguments=("agent", "--help"),
    install="Install Grok: npm install -g @xai-official/grok. Then log in, or set XAI_API_KEY.",
)

HERMES = AcpDriver(
    name="hermes",
    program=("hermes",),
    arguments=("--yolo", USER_ARGUMENTS, "acp"),
    quirks=quirks.HERMES,
    install="Install Hermes: pip install 'hermes-agent[acp,mcp]'. Then run `hermes setup` once.",
)

DEMO = AcpDriver(
    name="demo",
    program=(sys.executable, "-P", "-m", "groupx.demo_agent"),
    arguments=("--name", AGENT_ID, USER_ARGUMENTS),
    version_arguments=None,
    install="It is part of GroupX: install GroupX again.",
)

DRIVERS = (ACP, KIMI, GROK, HERMES, DEMO)
