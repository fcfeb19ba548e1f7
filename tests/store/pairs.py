"""A supervision pair in a ledger: A works, B watches, both running."""

from typing import Any

from groupx.domain.commands import AcceptedMessage
from groupx.domain.ids import ActorId
from groupx.domain.ledger import StartedCommand
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.roster import RosterEntry
from groupx.domain.steering import SteerCommand, Steered
from groupx.domain.supervision import Supervision
from groupx.store.transactions.started import started
from groupx.store.transactions.steer import steer
from tests.store.conftest import Ledger


class Pair:
    """`subject` is A's turn, `watch` is B's; both have natively begun."""

    def __init__(self, ledger: Ledger, *to: str, begun: bool = True) -> None:
        self.ledger = ledger
        self.accepted: AcceptedMessage = ledger.send(
            *(to or (ledger.a,)), content="the task", supervision=Supervision(observers=(ledger.b,))
        )
        self.subject = self.accepted.turns[0].turn_id
        assert self.accepted.watch_turns is not None
        self.watch = self.accepted.watch_turns[0].turn_id
        self.attempts: dict[str, str] = {}
        self.begin(self.watch)
        if begun:
            self.begin(self.subject)

    @property
    def pair_id(self) -> str:
        """The one pair's id."""
        return self.ledger.row("SELECT pair_id FROM supervision_pairs")[0]

    def begin(self, turn_id: str) -> None:
        """The turn runs."""
        self.attempts[turn_id] = attempt = self.ledger.claim(turn_id).attempt_id
        self.ledger.write(started, StartedCommand(attempt_id=attempt, native_turn_id="n"))

    def end(self, turn_id: str, cause: Cause = Cause.COMPLETED, **changes: Any) -> None:
        """The running turn ends."""
        if cause is Cause.COMPLETED:
            changes.setdefault("response", "done")
        self.ledger.end(turn_id, self.attempts[turn_id], cause, **changes)

    def command(self, action: Any = "nudge", **changes: Any) -> SteerCommand:
        """A steer of B."""
        ledger = self.ledger
        fields: dict[str, Any] = {
            "key": ledger.key("mcp.steer", binding=ledger.bindings[ledger.b]),
            "actor_id": ledger.b,
            "watch_turn_id": self.watch,
            "subject_turn_id": None,
            "action": action,
            "reason": "scope drift",
            "content": "keep the API",
            "roster": ledger.roster,
            "limits": Limits(),
        }
        return SteerCommand(**(fields | changes))

    def steer(self, action: Any = "nudge", **changes: Any) -> Steered:
        """Done."""
        return self.ledger.write(steer, self.command(action, **changes))

    def without(self, actor_id: ActorId) -> tuple[RosterEntry, ...]:
        """The roster, that agent stopped."""
        return tuple(
            RosterEntry(actor_id=it.actor_id, adapter_id="demo", stopped=it.actor_id == actor_id)
            for it in self.ledger.roster
        )
