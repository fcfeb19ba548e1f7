"""What it means for the user's work that a turn ended before its end was known."""

_DELIVERED = (
    "What it did until then stands, and GroupX does not send this again by itself: look at what "
    "changed, then retry or continue."
)
_UNKNOWN = (
    "It may never have read this message, or may have acted on it: GroupX cannot tell, and does "
    "not send it again by itself. Look at what changed, then retry or continue."
)
AGENT_GONE = "The agent is no longer in the config; this was never sent. Address another agent."
"""Of a turn that nobody of this run takes."""


def aftermath(*, delivered: bool) -> str:
    """How such a message ends. `delivered`: the native turn is known to have begun."""
    return _DELIVERED if delivered else _UNKNOWN
