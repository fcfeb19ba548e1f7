"""The upgrade of an older database: done on the store's thread, looked at from the loop."""

from collections.abc import Callable

import structlog

from groupx.domain.errors import GroupXError
from groupx.process.killing import passed
from groupx.runtime_notices import StartNotice
from groupx.store.formats.chain import CURRENT
from groupx.store.meter import TOTAL
from groupx.store.upgrade import Upgraded, UpgradeWatch
from groupx.web.services import Progress, RuntimeStatus, Status

_log = structlog.stdlib.get_logger("groupx.upgrade")


class UpgradeReport(UpgradeWatch):
    """How far it is. `show(done, total)` is called on the store's thread."""

    def __init__(self, show: Callable[[int, int], None]) -> None:
        self._show = show
        self._given_up = False
        self.progress: Progress | None = None
        """While an upgrade goes on."""
        self.upgraded: Upgraded | None = None

    def give_up(self) -> None:
        """Leave the database as it was, if it is not too late."""
        self._given_up = True

    def status(self, status: Status) -> RuntimeStatus:
        """The runtime's, with an upgrade told apart from any other start."""
        progress = self.progress
        if status is Status.STARTING and progress is not None:
            return RuntimeStatus(status=Status.UPGRADING, progress=progress)
        return RuntimeStatus(status=status)

    def begun(self, found: int) -> None:
        """As UpgradeWatch."""
        self.progressed(0, TOTAL)
        _log.info("upgrading the database", found=found, to=CURRENT)

    def progressed(self, done: int, total: int) -> None:
        """As UpgradeWatch."""
        self.progress = Progress(done=done, total=total)
        self._show(done, total)

    def unwanted(self) -> bool:
        """As UpgradeWatch."""
        return self._given_up

    def reached(self, point: str) -> None:
        """As UpgradeWatch."""
        passed(point)

    def ended(self, upgraded: Upgraded | None) -> None:
        """As UpgradeWatch."""
        self.upgraded = upgraded
        self.progress = None
        if upgraded is not None:
            _log.info("upgraded the database", found=upgraded.found, copy=str(upgraded.copy))

    def told_with(self, error: GroupXError) -> GroupXError:
        """A failure of the same start. The next one has no upgrade to tell of, so this does."""
        if self.upgraded is None:
            return error
        message = f"{upgrade_message(self.upgraded)} Then the start failed. {error.message}"
        return GroupXError(error.code, message, **error.details)


def upgrade_notice(upgraded: Upgraded) -> StartNotice:
    """The same, to be shown once in the room."""
    copy = None if upgraded.copy is None else str(upgraded.copy)
    facts = {"from": upgraded.found, "to": CURRENT, "copy": copy}
    return StartNotice("upgraded", upgrade_message(upgraded), facts)


def upgrade_message(upgraded: Upgraded) -> str:
    """What became of the database, and where to find what it was before."""
    said = f"The database was upgraded from format {upgraded.found} to {CURRENT}"
    if upgraded.copy is None:
        return f"{said}; no copy of what it was before was wanted."
    return f"{said}. What it was before is kept as {upgraded.copy}."
