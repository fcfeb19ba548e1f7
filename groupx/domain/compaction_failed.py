"""What came of a compaction that made no checkpoint, as it is told."""

import attrs

MAX_TOLD = 4
"""Refusals that a message names."""


@attrs.frozen(kw_only=True)
class Refusal:
    """Why one agent's program gave no checkpoint."""

    name: str
    code: str
    message: str


class CompactionFailed(Exception):
    """No checkpoint was written; the one before, and every message, stay as they are."""

    def __init__(self, refusals: tuple[Refusal, ...] = (), *, by_user: bool = False) -> None:
        """`by_user`: no agent failed, but the user ended it."""
        super().__init__(refusals, by_user)
        self.refusals = refusals
        self.by_user = by_user

    @property
    def code(self) -> str:
        """Of the last refusal."""
        return self.refusals[-1].code if self.refusals else "ADAPTER_NOT_FOUND"

    def told(self) -> str:
        """In one sentence for the user."""
        if self.by_user:
            return "that was cancelled."
        if not self.refusals:
            return "no agent was there that could write a checkpoint of the older messages."
        each = "; ".join(f"{it.name}: {it.message.rstrip('.')}" for it in self.refusals[-MAX_TOLD:])
        return f"no agent could write a checkpoint of the older messages ({each})."
