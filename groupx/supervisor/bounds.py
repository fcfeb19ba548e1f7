"""Waits that are bounded, and whose bounds can all be shortened at once."""

import trio


class Bounds:
    """The waits of one shutdown."""

    def __init__(self) -> None:
        self.hurrying = False
        self._open: dict[trio.CancelScope, float] = {}

    async def wait(self, event: trio.Event, *, seconds: float, hurried: float) -> bool:
        """Whether the event came within the bound; `hurried` is the bound once it is urgent."""
        scope = trio.CancelScope(
            deadline=trio.current_time() + (min(seconds, hurried) if self.hurrying else seconds)
        )
        self._open[scope] = hurried
        try:
            with scope:
                await event.wait()
        finally:
            del self._open[scope]
        return event.is_set()

    def hurry(self) -> None:
        """Shorten every bound, of the waits under way too."""
        self.hurrying = True
        for scope, hurried in self._open.items():
            scope.deadline = min(scope.deadline, trio.current_time() + hurried)
