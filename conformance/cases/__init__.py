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
