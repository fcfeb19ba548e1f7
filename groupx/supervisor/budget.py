"""How often a child may be restarted, and how long to wait before the next time."""

from collections import deque
from collections.abc import Callable

from groupx.supervisor.child import ChildSpec


class RestartBudget:
    """Crashes of one child since it was started by hand. Times in seconds on the caller's clock."""

    def __init__(self, spec: ChildSpec, random: Callable[[], float]) -> None:
        self._spec = spec
        self._random = random
        self._crashes: deque[float] = deque()
        self._in_a_row = 0

    def spend(self, now: float, *, was_ready: bool, lived: float) -> float | None:
        """The backoff before the next start; None when the budget is spent.

        A crash ages out of the window only once the child has been ready again: one that never
        comes up is given up after `max_restarts`, however slowly it fails.
        """
        if was_ready:
            while self._crashes and now - self._crashes[0] > self._spec.within:
                self._crashes.popleft()
            if lived > self._spec.within:
                self._in_a_row = 0
        self._crashes.append(now)
        self._in_a_row += 1
        if len(self._crashes) > self._spec.max_restarts:
            return None
        longest = min(self._spec.last_backoff, self._spec.first_backoff * 2 ** (self._in_a_row - 1))
        return longest * (0.5 + self._random() / 2)
