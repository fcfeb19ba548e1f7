"""How a room's compaction stands, as it is told to whoever asks."""

from enum import StrEnum

import attrs

from groupx.domain.wire import optional


class CompactionState(StrEnum):
    """Of the last one of a room."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


@attrs.frozen(kw_only=True)
class CompactionCancelled:
    """The one that a cancel has ended."""

    compaction_id: str


@attrs.frozen(kw_only=True)
class CompactionView:
    """The room's last compaction since GroupX started, while it runs and when it has ended."""

    compaction_id: str
    state: CompactionState
    passes: int
    """That were begun."""
    error_code: str | None = optional()
    message: str | None = optional()
    """Of one that failed: who was asked, and why each gave no checkpoint."""
