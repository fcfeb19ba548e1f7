"""What every command that wakes agents is decided by: who is there, the limits, the transport."""

from typing import TypedDict

import attrs

from groupx.actors.directory import AgentDirectory
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry


class TermsNow(TypedDict):
    """The fields of a command that hold its terms."""

    roster: tuple[RosterEntry, ...]
    limits: Limits
    transport: str


@attrs.frozen
class Terms:
    """Those of one run; all parts of the broker share them."""

    directory: AgentDirectory
    limits: Limits
    transport: str

    def now(self) -> TermsNow:
        """With the roster as it is at this moment: `Command(..., **terms.now())`."""
        return TermsNow(
            roster=self.directory.roster(), limits=self.limits, transport=self.transport
        )
