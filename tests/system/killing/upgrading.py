"""A kill at a point of an upgrade: the database is the old one or the new one, never between."""

import signal
from pathlib import Path

import attrs

from groupx.process.killing import KILL_VARIABLE
from groupx.store.formats.chain import CURRENT
from tests.store.released import copy_of, snapshot
from tests.system.daemon import Daemon
from tests.system.killing.evidence import Dump, reading
from tests.system.old_room import database, old_room

OLDEST = 1
NAME = f"format-{OLDEST}"
STEPS = range(OLDEST + 1, CURRENT + 1)
POINTS = tuple(f"upgrade.{point}" for point in ("locked", "copied", *STEPS, "marked", "committed"))


@attrs.frozen(kw_only=True)
class UpgradeResult:
    """What was found after one kill."""

    point: str
    format_at_death: int
    problems: tuple[str, ...]


def upgrade_rows(results: list[UpgradeResult]) -> list[str]:
    """Lines of the table of kill points: the points before the commit, and those after it."""
    lines: list[str] = []
    for format_at_death in (OLDEST, CURRENT):
        points = [one.point for one in results if one.format_at_death == format_at_death]
        if points:
            between = f"`{points[0]}`" + (f" … `{points[-1]}`" if len(points) > 1 else "")
            lines.append(
                f"| {between} | the database: format {format_at_death}, whole; after the next "
                f"start {CURRENT}{' |' * 3}"
            )
    return lines


def run_upgrade(point: str, folder: Path) -> UpgradeResult:
    """Kill the upgrade there, start again, compare. Leaves no process."""
    daemon = old_room(lambda agents: Daemon(folder, agents), NAME)
    try:
        return _run(daemon, point)
    finally:
        daemon.dispose()


def _run(daemon: Daemon, point: str) -> UpgradeResult:
    original = _rows(copy_of(NAME, daemon.folder / "original"))
    daemon.launch(**{KILL_VARIABLE: point})
    code = daemon.wait()
    assert code == -signal.SIGKILL, f"it was to die at {point}, and ended with {code}"
    daemon.assert_no_processes()
    found = [*_unsound(daemon)]
    at_death = _format(daemon)
    if at_death == OLDEST and _rows(database(daemon)) != original:
        found.append("the old database was changed")
    daemon.start()
    assert daemon.terminate() == 0
    if _format(daemon) != CURRENT:
        found.append(f"the next start left it at format {_format(daemon)}")
    found += _unsound(daemon)
    known = {row["event_id"] for row in _rows(database(daemon))["events"]}
    lost = {row["event_id"] for row in original["events"]} - known
    if lost:
        found.append(f"events were lost: {lost}")
    copies = sorted(daemon.data.glob("*.bak"))
    if [_rows(copy) for copy in copies] != [original]:
        found.append(f"the copies from before are not one, and whole: {copies}")
    if list(daemon.data.glob("*.part")):
        found.append("half a copy was left")
    return UpgradeResult(point=point, format_at_death=at_death, problems=tuple(found))


def _rows(path: Path) -> Dump:
    with reading(path) as conn:
        return snapshot(conn)


def _format(daemon: Daemon) -> int:
    with reading(database(daemon)) as conn:
        return int(conn.execute("PRAGMA user_version").fetchone()[0])


def _unsound(daemon: Daemon) -> list[str]:
    with reading(database(daemon)) as conn:
        rows = [*conn.execute("PRAGMA integrity_check"), *conn.execute("PRAGMA foreign_key_check")]
    return [] if rows == [("ok",)] else [f"the database is damaged: {rows}"]
