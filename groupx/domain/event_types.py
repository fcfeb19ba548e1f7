"""The vocabulary of the room's history: what is stored, what only streams, what never exists."""

DURABLE = frozenset(
    [
        "message.created",
        "message.withdrawn",
        "turn.queued",
        "turn.dispatched",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "turn.cancelled",
        "turn.interrupted",
        "session.starting",
        "session.ready",
        "session.resumed",
        "session.stopped",
        "session.failed",
        "memory.remembered",
        "memory.superseded",
        "memory.retracted",
        "identity.remembered",
        "identity.superseded",
        "identity.retracted",
        "routing.loop_stopped",
        "routing.loop_continued",
        "supervision.paired",
        "supervision.observed",
        "supervision.steered",
        "operator.dispatch",
        "context.reset",
        "turn.reasoning.recorded",
        "tool.progress.recorded",
        "memory.policy.changed",
        "lane.paused",
        "lane.resumed",
        "system.error",
    ]
)

TRANSIENT = frozenset(
    [
        "turn.content.delta",
        "turn.reasoning.delta",
        "turn.progress",
        "tool.progress",
        "adapter.heartbeat",
        "session.retrying",
        "context.compaction.started",
        "context.compaction.retrying",
        "context.compaction.completed",
        "context.compaction.failed",
        "context.compaction.cancelled",
        "agent.changed",
        "assistant.changed",
        "room.changed",
        "stream.reset",
    ]
)

DELTAS = frozenset({"turn.content.delta", "turn.reasoning.delta", "tool.progress"})
"""Transient pieces of a running turn: told apart by `chunkIndex` or `toolCallId`, they may be
replayed. Other transient types tell how things stand, and are stale the moment they are over."""

FORBIDDEN_PREFIXES = ("approval.", "permission.", "user_input.")
"""There is no approval subsystem: such a type is never stored, whoever asks."""

TRANSCRIPT = frozenset({"message.created", "operator.dispatch"})
"""The only types that may enter a context packet as transcript."""

TERMINAL_EVENT_OF = {
    "completed": "turn.completed",
    "failed": "turn.failed",
    "cancelled": "turn.cancelled",
    "interrupted": "turn.interrupted",
}


def is_forbidden(event_type: str) -> bool:
    """Whether this type may never be stored or sent."""
    return event_type.startswith(FORBIDDEN_PREFIXES)
