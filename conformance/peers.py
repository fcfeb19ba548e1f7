"""Which dialect the program of a driver speaks, and what is special to it."""

import attrs

from groupx.adapters.contract import Adapter

from .dialects.acp import AcpDialect
from .dialects.app_server import AppServerDialect
from .dialects.dialect import Dialect
from .dialects.stream_json import StreamJsonDialect


@attrs.frozen(kw_only=True)
class Peer:
    """A driver, and the program that plays its part."""

    adapter: Adapter
    dialect: type[Dialect]
    program: str = "scripted"
    """What it calls itself."""
    name: str = ""
    """Of the peer, where it is not that of the driver."""

    @property
    def names(self) -> tuple[str, str]:
        """By what the tables of differences know it."""
        return self.name or self.adapter.driver, self.dialect.protocol


DIALECTS: dict[str, type[Dialect]] = {"codex": AppServerDialect, "claude": StreamJsonDialect}
"""Every other driver is taken for a row of ACP."""
PROGRAMS = {"hermes": "hermes-agent"}


def peer_of(adapter: Adapter) -> Peer:
    """The scripted program for a driver."""
    driver = adapter.driver
    return Peer(
        adapter=adapter,
        dialect=DIALECTS.get(driver, AcpDialect),
        program=PROGRAMS.get(driver, "scripted"),
    )
