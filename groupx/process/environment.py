"""What a child process may see of our environment."""

from collections.abc import Mapping

RUN_VARIABLE = "GROUPX_RUN"
"""`<run>.<number>` in every process of a tree we started, so that stragglers can be found."""

OWN_PREFIX = "GROUPX_"

NESTED_RUN_MARKERS = frozenset(
    {
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_INTERNAL_ORIGINATOR_OVERRIDE",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
        "GEMINI_CLI",
        "OPENCODE",
        "OPENCODE_PID",
        "QWEN_CODE",
    }
)
"""Set by an agent for what it starts. Ours are not its children: they must not think so."""


def child_environment(base: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """The environment of an agent: `base` minus ours and other agents' marks, plus `extra`."""
    inherited = {
        name: value
        for name, value in base.items()
        if not name.startswith(OWN_PREFIX) and name not in NESTED_RUN_MARKERS
    }
    return inherited | dict(extra)


def run_mark(run_id: str) -> bytes:
    """What every environment of that run contains."""
    return f"{RUN_VARIABLE}={run_id}.".encode()


def tree_mark(label: str) -> bytes:
    """What every environment of one tree contains."""
    return f"{RUN_VARIABLE}={label}\0".encode()
