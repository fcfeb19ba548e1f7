"""The fixed profile of every thread: it asks nothing, is in no sandbox, and gives up in time."""

from typing import cast

from groupx.adapters.contract import AdapterStartError, McpServer, SessionProfile
from groupx.adapters.json_lines import Json, object_of, quote
from groupx.domain.errors import ErrorCode

APPROVAL_POLICY = "never"
SANDBOX = "danger-full-access"
SANDBOX_TYPE = "dangerFullAccess"
"""The same in a thread's answer."""
_CONFIG: Json = {
    "bypass_hook_trust": True,
    # Else a refused connection is tried again for ever, and the turn never ends.
    "features.unbounded_connection_retries": False,
}
MCP_START_SHARE = 0.5
"""Of `timeouts.request`: what the room's MCP server may take, so that its failure is an answer."""


def thread_params(profile: SessionProfile, *, with_mcp: bool) -> Json:
    """Of `thread/start` and `thread/resume`; Codex keeps no `config`, so both get all of it."""
    config = dict(_CONFIG)
    if profile.mcp is not None and with_mcp:
        seconds = profile.timeouts.request / 1000 * MCP_START_SHARE
        config["mcp_servers"] = {profile.mcp.name: _mcp_entry(profile.mcp, seconds)}
    return {
        "cwd": profile.cwd,
        "approvalPolicy": APPROVAL_POLICY,
        "sandbox": SANDBOX,
        "config": config,
    }


def _mcp_entry(server: McpServer, seconds: float) -> Json:
    return {
        "url": server.url,
        "http_headers": {"Authorization": f"Bearer {server.bearer}"},
        "required": True,  # else the first turn may run before its tools are there
        "default_tools_approval_mode": "approve",
        "startup_timeout_sec": seconds,
    }


def check_requirements(answer: Json) -> None:
    """What the machine's administrator allows. Raises NATIVE_POLICY_BLOCKED."""
    required = object_of(answer.get("requirements"))
    for key, needed in (
        ("allowedApprovalPolicies", APPROVAL_POLICY),
        ("allowedSandboxModes", SANDBOX),
    ):
        allowed: object = required.get(key)
        if isinstance(allowed, list) and needed not in cast("list[object]", allowed):
            raise _blocked(f"`{key}` is {quote(required[key])}, without `{needed}`")


def check_thread(answer: Json) -> None:
    """What a thread was really given. Raises NATIVE_POLICY_BLOCKED."""
    policy, sandbox = answer.get("approvalPolicy"), object_of(answer.get("sandbox")).get("type")
    if policy != APPROVAL_POLICY or sandbox != SANDBOX_TYPE:
        raise _blocked(
            f"it opened a thread with approvals {quote(policy)}, sandbox {quote(sandbox)}"
        )


def _blocked(found: str) -> AdapterStartError:
    return AdapterStartError(
        ErrorCode.NATIVE_POLICY_BLOCKED,
        f"Codex is not allowed to work without approvals and sandbox here: {found}. Nothing was "
        "sent to it. Ask whoever manages this machine's Codex requirements, or use another agent.",
        transient=False,
    )
