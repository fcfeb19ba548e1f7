"""How long a program may say nothing."""

from collections.abc import Callable

import trio

from groupx.actors.mailbox import Bell
from groupx.domain.limits import Timeouts

STOOD_STILL_SECONDS = 1.0
"""A wake-up that comes so late says more of us than of the program."""


class Silence:
    """Measures the time since a prompt's last sign of life against the bound of the moment.

    Until the first event that is `first_event`, then `idle`, or `open_tool` while one is open.
    """

    def __init__(self, timeouts: Timeouts, tool_is_open: Callable[[], bool]) -> None:
        self._timeouts = timeouts
        self._tool_is_open = tool_is_open
        self._heard_at = trio.current_time()
        self._shorter = Bell()
        self._tool_was_open: bool = False
        self.heard_anything = False

    def heard(self) -> None:
        """The program gave a sign of life just now; call it after the event was taken in."""
        self._heard_at = trio.current_time()
        tool_open = self._tool_is_open()
        if not self.heard_anything or tool_open != self._tool_was_open:
            self.heard_anything, self._tool_was_open = True, tool_open
            self._shorter.ring()

    async def too_long(self) -> None:
        """Returns once the program has been silent for longer than it may.

        Where the daemon itself stood still meanwhile (suspended, starved), what the program said
        may still be unread: then the silence is measured anew.
        """
        while (due := self._due()) > trio.current_time():
            with trio.move_on_at(due):
                await self._shorter.wait()
            if trio.current_time() - due > STOOD_STILL_SECONDS:
                self._heard_at = trio.current_time()

    def _due(self) -> float:
        if not self.heard_anything:
            bound = self._timeouts.first_event
        elif self._tool_is_open():
            bound = self._timeouts.open_tool
        else:
            bound = self._timeouts.idle
        return self._heard_at + bound / 1000
