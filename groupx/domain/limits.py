"""Bounds of a room, as the config's `limits` and `timeouts` name them."""

import attrs


@attrs.frozen(kw_only=True)
class Limits:
    """Counts and sizes; characters are Unicode code points, bytes are UTF-8."""

    message_characters: int = 131_072
    queue_per_agent: int = 64
    root_turns: int = 48
    hop_count: int = 24
    actor_calls_per_root: int = 16
    steers_per_subject_turn: int = 3
    context_characters: int = 256_000
    sse_events: int = 4_096
    sse_bytes: int = 8_388_608


@attrs.frozen(kw_only=True)
class Timeouts:
    """Milliseconds. `idle` counts only while no tool is open; an open tool has `open_tool`."""

    handshake: int = 15_000
    request: int = 10_000
    first_event: int = 180_000
    idle: int = 300_000
    open_tool: int = 3_600_000
    cancel: int = 10_000
    close: int = 5_000
    ask: int = 50_000
    watch: int = 50_000


SOFT_CONTEXT_SHARE = 0.75
"""Of `context_characters`: optional parts of a packet stop here."""

MAX_TARGETS = 32
MAX_REQUEST_BYTES = 2 * 1024 * 1024
MAX_RESPONSE_BYTES = 1024 * 1024
MAX_REASONING_BYTES = 256 * 1024
MAX_TOOL_RECORDS = 200
MAX_TOOL_RECORD_BYTES = 4 * 1024
MAX_EVENT_BYTES = 1536 * 1024
"""Any durable envelope, as JSON."""
MAX_PACKET_RECORD_BYTES = 8 * 1024
MAX_PAGE_EVENTS = 200
MAX_PAGE_BYTES = 4 * 1024 * 1024
MAX_BOOTSTRAP_BYTES = 1024 * 1024
