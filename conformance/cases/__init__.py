"""Every case of the suite, one family a module."""

from collections.abc import Mapping

from ..case import Case
from . import (
    cancelling,
    dying,
    failures,
    handshake,
    interactions,
    lines,
    processes,
    resuming,
    streaming,
    terminals,
    tools,
)

FAMILIES = (
    handshake,
    streaming,
    tools,
    failures,
    cancelling,
    terminals,
    dying,
    lines,
    interactions,
    resuming,
    processes,
)

CASES: Mapping[str, Case] = {case.name: case for family in FAMILIES for case in family.CASES}
"""By name."""

OF_A_ROW = (
    "open",
    "open_with_mcp",
    "open_with_mode",
    "mode_refused",
    "login_wanted",
    "resume_known",
    "resume_known_with_mode",
    "resume_unknown",
    "usage",
    "failed",
    "refused",
    "session_forgotten",
    "cancel_mid_stream",
    "cancel_too_late",
    "cancel_failed",
    "asks_permission",
)
"""What may differ between drivers that share all code but their row."""
