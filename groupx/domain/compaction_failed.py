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
    """No agent could write the checkpoint; the one before, and every message, stay as they are."""

    def __init__(self, refusals: tuple[Refusal, ...]) -> None:
        super().__init__(refusals)
        self.refusals = refusals

    @property
    def code(self) -> str:
        """Of the last refusal."""
        return self.refusals[-1].code if self.refusals else "ADAPTER_NOT_FOUND"

    def told(self) -> str:
        """In one sentence for the user."""
        if not self.refusals:
            return "no agent was there that could write a checkpoint of the older messages."
        each = "; ".join(f"{it.name}: {it.message.rstrip('.')}" for it in self.refusals[-MAX_TOLD:])
        return f"no agent could write a checkpoint of the older messages ({each})."
