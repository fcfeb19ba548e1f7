"""What real programs do differently, as data. Each was measured on the program itself."""

import attrs


@attrs.frozen(kw_only=True)
class Quirks:
    """One driver's deviations; the defaults are plain ACP."""

    mode: str | None = None
    """The most open mode, set after every new or loaded session; refused = policy blocked."""
    mode_by_method: bool = False
    """Set the mode with `session/set_mode` although a config option is offered."""
    agent_name: str | None = None
    """What `agentInfo.name` must be."""
    mcp_http_unadvertised: bool = False
    """Takes MCP servers over HTTP without saying so."""
    trailing_usage_seconds: float = 0.0
    """How long the usage update that follows the prompt's answer is waited for."""
    usage_is_cumulative: bool = False
    """Token counts are of the session, not of the turn."""
    cancel_may_brick: bool = False
    """Only one cancel, confirmed by stopReason `cancelled`, leaves the session usable; an error
    in answer to a cancelled prompt is how it says that it stopped. After an internal error it
    runs no prompt any more."""
    not_an_answer: str | None = None
    """A whole answer matching this pattern means that the prompt was not run."""
    failure_as_answer: str | None = None
    """An answer that begins so, of a turn in which no tokens were counted, is how it tells that it
    could not ask its model."""
    tells_mcp: str | None = None
    """The notification by which it tells that it is done with the MCP servers of a session; its
    `mcpToolCount` is how many tools it found. It takes prompts before that, and then without
    those tools."""
    mcp_wait_seconds: float = 0.0
    """How much longer a session may take to open because of an MCP server that does not answer."""
    resumed_says: str | None = None
    """A field that the answer to `session/load` has only if the program knows the session."""
    refusal_is_unknown_session: bool = False
    """A refusal before any output means that it does not know the session."""


PLAIN = Quirks()

KIMI = Quirks(mode="auto", mode_by_method=True, trailing_usage_seconds=0.1)

GROK = Quirks(tells_mcp="_x.ai/mcp_initialized", mcp_wait_seconds=5.0)

HERMES = Quirks(
    mode="dont_ask",
    agent_name="hermes-agent",
    mcp_http_unadvertised=True,
    mcp_wait_seconds=10.0,
    usage_is_cumulative=True,
    cancel_may_brick=True,
    not_an_answer=r"Queued for the next turn\. \(\d+ queued\)",
    failure_as_answer=r"(API call failed after \d+ retries|HTTP \d{3}|Error): ",
    resumed_says="modes",
    refusal_is_unknown_session=True,
)

LOGIN_BY_VARIABLE = {
    "xai.api_key": "XAI_API_KEY",
    "gemini-api-key": "GEMINI_API_KEY",
    "openai": "OPENAI_API_KEY",
    "codex-api-key": "CODEX_API_KEY",
}
"""Login methods that need no person → the variable that must be set for them."""
