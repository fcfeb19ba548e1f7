"""The official ACP SDK, which chooses its frames itself: its agent reads the script as it is."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from ..script import Step, Steps
from .acp import AcpDialect
from .dialect import AGENTS

OWN_LINES = "the SDK writes its lines itself"


class AcpSdkDialect(AcpDialect):
    protocol = "acp-sdk"
    agent = AGENTS / "acp_sdk.py"
    unsaid: ClassVar[Mapping[str, str]] = {
        "raw": OWN_LINES,
        "bytewise": OWN_LINES,
        "late": OWN_LINES,
        "close": "the SDK keeps its streams to itself",
        "spawn": "where agents are forked, children are not the program's own",
    }
    address: ClassVar[Path | None] = None
    """Where agents are forked (acp_sdk.py --listen); None = each is started."""

    def scenario(self, phases: Mapping[str, Steps], turns: Sequence[Steps]) -> Step:
        return {"phases": dict(phases), "turns": list(turns)}

    def command(self, scenario: Path, log: Path) -> tuple[str, ...]:
        if self.address is None:
            return (sys.executable, str(self.agent), str(scenario), str(log))
        through = (sys.executable, "-E", "-s", "-S", str(AGENTS / "through.py"))
        return (*through, str(self.address), str(scenario), str(log))
