"""What the loop tells of an upgrade that the store's thread does."""

from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.runtime_upgrade import UpgradeReport, upgrade_message
from groupx.store.upgrade import Upgraded
from groupx.web.services import Progress, Status


def test_a_start_that_upgrades_says_so_and_how_far_it_is():
    shown: list[tuple[int, int]] = []
    report = UpgradeReport(lambda done, total: shown.append((done, total)))
    assert report.status(Status.STARTING).status is Status.STARTING
    report.begun(9)
    report.progressed(412, 1000)
    told = report.status(Status.STARTING)
    assert (told.status, told.progress) == (Status.UPGRADING, Progress(done=412, total=1000))
    assert report.status(Status.CLOSING).status is Status.CLOSING
    report.ended(Upgraded(found=9, copy=None))
    assert report.status(Status.STARTING).status is Status.STARTING
    assert report.status(Status.READY).progress is None
    assert shown == [(0, 1000), (412, 1000)]


def test_an_upgrade_that_failed_is_not_told():
    report = UpgradeReport(lambda done, total: None)
    report.begun(9)
    report.ended(None)
    assert report.upgraded is None
    assert report.status(Status.STARTING).progress is None


def test_a_stop_makes_it_unwanted():
    report = UpgradeReport(lambda done, total: None)
    assert not report.unwanted()
    report.give_up()
    assert report.unwanted()


def test_the_user_is_told_where_the_copy_is():
    message = upgrade_message(Upgraded(found=4, copy=Path("/x/room.db.before-format-10.bak")))
    assert "from format 4 to 10" in message
    assert "/x/room.db.before-format-10.bak" in message
    assert "no copy" in upgrade_message(Upgraded(found=4, copy=None))


def test_a_start_that_fails_after_its_upgrade_says_that_it_is_upgraded():
    """Its database is not as it was, and the next start has nothing to tell."""
    report = UpgradeReport(lambda done, total: None)
    full = GroupXError(ErrorCode.STORE_UNAVAILABLE, "The disk is full.", cause="full")
    assert report.told_with(full) is full
    report.ended(Upgraded(found=4, copy=Path("/x/room.db.before-format-10.bak")))
    told = report.told_with(full)
    assert (told.code, told.details) == (full.code, full.details)
    assert "upgraded from format 4 to 10" in told.message
    assert "/x/room.db.before-format-10.bak" in told.message
    assert told.message.endswith("The disk is full.")
