"""Named moments at which a run may be told to kill itself; an ordinary run passes them by."""

from collections.abc import Callable

POINTS: tuple[str, ...] = (
    "accept.committed",
    "claim.committed",
    "invoke.committed",
    "prompt.first_byte",
    "prompt.written",
    "started.committed",
    "stream.mid",
    "terminal.before",
    "terminal.committed",
    "recovery.phase1",
    "recovery.phase2",
)
"""In the order in which a turn passes them. `<transaction>.committed` is on the store's thread,
after the COMMIT and before anybody is answered."""

UPGRADE = "upgrade."
"""How an upgrade's points begin; then `locked`, `copied`, a step, `marked`, `committed`."""


class KillPoints:
    """Whoever passes a point asks whether there is a `reached`, and if so tells it the name."""

    def __init__(self) -> None:
        self.reached: Callable[[str], None] | None = None


KILL_POINTS = KillPoints()
