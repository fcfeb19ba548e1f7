"""What running turns have shown so far, for those who join in the middle of one."""

from groupx.domain.views import LiveTurn


class LiveTurns:
    """A bounded copy per running turn: as many as there are agents, as long as a response."""

    def __init__(self) -> None:
        self._turns: dict[str, LiveTurn] = {}

    def begin(self, turn_id: str) -> None:
        """The turn shows something from now on."""
        self._turns[turn_id] = LiveTurn()

    def update(self, turn_id: str, live: LiveTurn) -> None:
        """What it shows now; ignored for a turn that has ended or never began."""
        if turn_id in self._turns:
            self._turns[turn_id] = live

    def end(self, turn_id: str) -> None:
        """Its response is durable, or it has none."""
        self._turns.pop(turn_id, None)

    def get(self, turn_id: str) -> LiveTurn | None:
        """What a running turn shows; None for any other."""
        return self._turns.get(turn_id)
