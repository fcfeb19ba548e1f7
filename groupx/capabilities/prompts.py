"""What the cases say to a program: ordinary words, and at the end what a mock model understands.

A tool's name and arguments differ from program to program, so its directive is a row by driver.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from groupx.capabilities.mcp_probe import PUBLISH, SERVER_NAME, TOOL

WORD = "ready"
SHORT = f"Answer with one word only: {WORD} SAY:{WORD}"
SENTENCE = "Greet me in one friendly sentence of about twelve words."
REASON = "THINK about it first, step by step: is 91 a prime number? Then answer yes or no."
COUNT = "Count slowly from 1 to 300 in words, one number a line, without stopping. SLOW"
RECALL = "Which word did I ask you to remember? Answer with that word only. RECALL"
COMMAND = "{command}"
"""Where a directive has the command, which is another one each time."""

_SHELL: Mapping[str, tuple[str, dict[str, Any]]] = MappingProxyType(
    {
        "claude": ("Bash", {"command": COMMAND, "description": "a probe"}),
        "codex": ("exec_command", {"cmd": COMMAND}),
        "grok": ("run_terminal", {"command": COMMAND, "description": "a probe"}),
        "hermes": ("terminal", {"command": COMMAND}),
        "kimi": ("Bash", {"command": COMMAND, "description": "a probe"}),
    }
)

_JOINTS: Mapping[str, str] = MappingProxyType({"codex": "::", "acp": "_"})
"""What a program puts between the name of an MCP server and that of its tool."""


def remember(word: str) -> str:
    """Tell it a word, which `RECALL` asks for later."""
    return f"Remember the word {word} for later. Answer with one word only: {WORD} SAY:{WORD}"


def shell_prompt(driver: str, directive: str | None, command: str) -> str:
    """Have it run a harmless command; `directive` instead of the driver's row. The command has
    no character that JSON would escape."""
    words = f"Run the shell command `{command}` with your shell tool, then say what it printed."
    if directive is None and driver in _SHELL:
        directive = _directive(*_SHELL[driver])
    return words if directive is None else f"{words} {directive.replace(COMMAND, command)}"


def mcp_prompt(driver: str, text: str, directive: str | None) -> str:
    """Have it call the probe's tool with `text`; `directive` instead of the driver's row."""
    words = (
        f"Call the tool `{TOOL}` of the MCP server `{SERVER_NAME}` once, with the argument text "
        f"set to `{text}`, then say what it returned."
    )
    if driver == "demo":  # no model is behind it: these are words that it knows
        return f"{PUBLISH}: {text}"
    if directive is not None:
        return f"{words} {directive}"
    if driver == "grok":  # it hides the tools of MCP servers behind one of its own
        arguments = {"tool_name": f"{SERVER_NAME}__{TOOL}", "tool_input": {"text": text}}
        return f"{words} {_directive('use_tool', arguments)}"
    joint = _JOINTS.get(driver, "__")
    return f"{words} {_directive(f'{SERVER_NAME}{joint}{TOOL}', {'text': text})}"


def _directive(tool: str, arguments: dict[str, Any]) -> str:
    return f"CALL:{tool} ARGS:{json.dumps(arguments)}"
