"""What one run is asked to be, and how it says that it could not go on."""

from collections.abc import Callable
from pathlib import Path

import attrs

from groupx.domain.config import Config
from groupx.domain.paths import Paths
from groupx.store.place import LeaseLost


@attrs.frozen(kw_only=True)
class Plan:
    """What one run is asked to be."""

    config: Config
    paths: Paths
    port: int | None = None
    """Instead of the config's; 0 takes a free one."""
    kept_port: int | None = None
    """The one that the room had before it began again in its place."""
    log_file: Path | None = None
    """Where diagnostics go; None = stderr."""
    on_ready: Callable[[int, str], None]
    """Told the port and a login URL that works once, when the room is open."""
    keep_copy: bool = True
    """Of an older database, before it is upgraded."""
    on_upgrade: Callable[[int, int], None] = lambda done, total: None
    """Told how far that is, on a thread of its own."""

    @property
    def listen_port(self) -> int:
        """The one that is asked for."""
        kept = self.config.server.port if self.kept_port is None else self.kept_port
        return kept if self.port is None else self.port


class RuntimeFailed(Exception):
    """A part that the room cannot live without failed; everything was stopped in order."""

    def __init__(self, part: str, error: str) -> None:
        super().__init__(
            f"the room had to stop, since its {part} failed ({error}). Everything was stopped in "
            "order. What is queued survives, and what ran is shown as interrupted: start it again."
        )


class RoomTaken(RuntimeFailed):
    """Another runtime may have been let in; this one stopped and left it alone."""

    def __init__(self, lost: LeaseLost) -> None:
        Exception.__init__(
            self,
            f"the room had to stop: {lost}. From then on nothing was stored and nothing was sent; "
            "what ran is shown as interrupted. If the folder was moved, put it back, and if the "
            "database was deleted, restore a backup. `groupx status` says whether another GroupX "
            "has this room now: if not, start it again. A lock file that is left over is in "
            "nobody's way; never remove one.",
        )
