"""What running turns have shown so far, for those who join in the middle of one."""

from collections.abc import Callable

from groupx.domain.views import LiveTurn

Show = Callable[[], LiveTurn]


class LiveTurns:
    """At most as many as there are agents; each is asked only when somebody joins."""

    def __init__(self) -> None:
        self._turns: dict[str, Show] = {}

    def begin(self, turn_id: str, show: Show) -> None:
        """The turn shows something from now on: what `show` says at that moment, bounded."""
        self._turns[turn_id] = show

    def end(self, turn_id: str) -> None:
        """Its response is durable, or it has none."""
        self._turns.pop(turn_id, None)

    def get(self, turn_id: str) -> LiveTurn | None:
        """What a running turn shows; None for any other."""
        show = self._turns.get(turn_id)
        return None if show is None else show()
