"""What rules draw, and how a rule is made."""

from collections.abc import Callable
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import rule

from groupx.domain.outcomes import Cause
from tests.store.machine.world import AGENTS, LIMITS

MAIN = "room:main"
pick = st.integers(0, 31)
actors = st.sampled_from(AGENTS)
commands = st.integers(0, 255)
"""Client command ids; few enough to come again."""
somebody = st.sampled_from(
    [
        ("agent:a",), ("agent:b",), ("agent:c",), ("agent:a",), ("agent:b",),
        ("agent:a", "agent:b"), ("agent:c", "agent:a", "agent:b"), ("@all",),
    ]
)  # fmt: skip
nobody = st.sampled_from(
    [(), ("agent:x",), ("agent:a", "agent:a"), ("@all", "agent:b"), ("user:web",)]
)
calls = st.sampled_from(["mcp.send", "mcp.ask"])
ends = st.sampled_from([*Cause, *[Cause.COMPLETED] * 12, *[Cause.CANCELLED] * 3])
MOODS = (
    "_work", "_wake_me", "cancel", "lane", "take_back", "call", "end", "crash", "stop_agent",
    "lane_crashes", "stop_and_start", "requeue",
)  # fmt: skip
"""What a run can be without."""
fuse = st.sampled_from([False, False, True])
"""Whether it comes to that: a daemon is to live for a while."""
words = st.sampled_from(["hello", "go on", "x" * LIMITS.message_characters])


def deed(**drawn: Any) -> Callable[[Callable[..., None]], Any]:
    """A rule. All have one name for Hypothesis, which else leaves out half of them in half of
    the runs, and nothing gets far; what a run is without, `mood` says."""

    def make(method: Callable[..., None]) -> Any:
        def deed(self: Any, **values: Any) -> None:
            note(f"# {method.__name__}")
            if method.__name__ not in self.without:
                method(self, **values)

        return rule(**drawn)(deed)

    return make
