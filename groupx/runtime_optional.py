"""Parts that the room can do without: while one is off it goes on, and says so in their words."""

from collections.abc import Awaitable, Callable

import attrs

from groupx.domain.text import excerpt
from groupx.supervisor.child import ChildState, ChildStatus
from groupx.web.services import PartHealth

MAX_ERROR_CHARACTERS = 500


@attrs.frozen(kw_only=True)
class PartWords:
    """What is said of such a part."""

    name: str
    """In the tree."""
    what_for: str
    while_off: str
    """What that means, and until when."""


ROLLUPS = PartWords(
    name="rollups",
    what_for="for the agents' dated memories",
    while_off="none are made until GroupX is restarted. The room goes on, and what would be "
    "remembered waits.",
)
SEARCH = PartWords(
    name="search",
    what_for="that indexes older text",
    while_off="a search does not find all of it until GroupX is restarted. The room goes on, and "
    "what is said from now on is found.",
)


class OptionalPart:
    """What the part runs, and how it stands."""

    def __init__(self, words: PartWords, run: Callable[[], Awaitable[None]]) -> None:
        self._words = words
        self.run = run
        self.health = PartHealth()

    def changed(self, status: ChildStatus) -> None:
        """A crash is shown at once; after too many the part stays off."""
        error = excerpt(status.error or "unknown", MAX_ERROR_CHARACTERS)
        part = f"GroupX's own part {self._words.what_for}"
        if status.state is ChildState.RUNNING:
            self.health = PartHealth()
        elif status.state is ChildState.WAITING:
            self.health = PartHealth(
                state="restarting",
                fault=f"{part} failed ({error}). Nothing is lost: it is started again.",
            )
        elif status.state is ChildState.FAILED:
            self.health = PartHealth(
                state="off",
                fault=f"{part} failed too often ({error}), so that {self._words.while_off}",
            )
