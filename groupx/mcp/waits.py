"""Who waits for whom in calls, so that no two wait for each other until their time is over."""

from collections.abc import Generator
from contextlib import contextmanager

import attrs

from groupx.store.queries.called_turns import CalledTurn


@attrs.define(eq=False)
class Wait:
    """One call that waits, out of a turn (None: of nobody's), for what was last seen of others."""

    by_turn_id: str | None
    for_turns: tuple[CalledTurn, ...] = ()


class Waits:
    """The waits of all callers now, in memory."""

    def __init__(self) -> None:
        self._waits: list[Wait] = []

    @contextmanager
    def one(self, by_turn_id: str | None) -> Generator[Wait]:
        """A wait out of this turn, inside the block."""
        wait = Wait(by_turn_id)
        self._waits.append(wait)
        try:
            yield wait
        finally:
            self._waits.remove(wait)

    def waits_for(self, turn: CalledTurn, by_turn_id: str | None) -> bool:
        """Whether `turn` cannot end before the turn that would wait for it does."""
        ahead, seen = [_in_the_way(turn)], set[str]()
        while by_turn_id is not None and ahead:
            turn_id = ahead.pop()
            if turn_id == by_turn_id:
                return True
            if turn_id not in seen:
                seen.add(turn_id)
                ahead += [
                    _in_the_way(other)
                    for wait in self._waits
                    if wait.by_turn_id == turn_id
                    for other in wait.for_turns
                ]
        return False


def _in_the_way(turn: CalledTurn) -> str:
    """The turn that has to end first: the one its lane is busy with, or itself."""
    return turn.active_turn_id or turn.turn_id
