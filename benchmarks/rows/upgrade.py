"""How long a database of a million events takes from format 9 to the current one, and how much
memory. Not in the ordinary run: growing the database takes longer than the rest together."""

import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from groupx.store.opening import open_ledger
from groupx.store.upgrade import Upgrade, UpgradeWatch

EVENTS, QUICK_EVENTS = 1_000_000, 2_000
_FROZEN = Path(__file__).parents[2] / "tests/store/fixtures/format-9.db"
_COLUMNS = (
    "schema_version, room_id, event_type, actor_id, actor_kind, actor_display_name, instance_id,"
    " targets_json, causation_id, occurred_at, body_json, provenance_json"
)
_GROW = f"""
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :more - 1)
INSERT INTO events (event_id, correlation_id, {_COLUMNS})
  SELECT 'evt_' || lower(hex(randomblob(16))), 'corr_' || substr(event_id, 5, 10) || (n / 7),
    {_COLUMNS}
  FROM numbers JOIN events ON seq = 1 + n % :base
"""
"""The frozen events over and over, with ids that scatter over the index as real ones do."""


def measure(quick: bool) -> dict[str, float]:
    """Seconds and MiB; with the copy, as a user runs it."""
    with tempfile.TemporaryDirectory(prefix="upgrade-") as folder:
        database = Path(folder) / "room.db"
        grow(database, QUICK_EVENTS if quick else EVENTS)
        size = database.stat().st_size / 2**20
        command = [sys.executable, "-m", "benchmarks.rows.upgrade", str(database)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return {"upgrade.database_mib": size, **json.loads(done.stdout)}


def grow(database: Path, events: int) -> None:
    """A database of format 9 with so many events."""
    shutil.copyfile(_FROZEN, database)
    with closing(sqlite3.connect(database, isolation_level=None)) as conn:
        (base,) = conn.execute("SELECT max(seq) FROM events").fetchone()
        conn.execute("PRAGMA synchronous = OFF")
        conn.execute(_GROW, {"more": events - base, "base": base})


class _Clock(UpgradeWatch):
    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.at: dict[str, float] = {}
        self.reports: list[float] = []

    def progressed(self, done: int, total: int) -> None:
        self.reports.append(time.perf_counter())

    def reached(self, point: str) -> None:
        self.at[point] = time.perf_counter() - self.began


def _upgrade(database: Path) -> dict[str, float]:
    watch = _Clock()
    open_ledger(database, now_iso="t", database_id="d", upgrade=Upgrade(watch=watch)).close()
    ended = time.perf_counter()
    pauses = [b - a for a, b in zip(watch.reports, [*watch.reports[1:], ended], strict=True)]
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return {
        "upgrade.copy_and_check_s": watch.at["upgrade.copied"],
        "upgrade.steps_s": watch.at["upgrade.marked"] - watch.at["upgrade.copied"],
        "upgrade.commit_s": watch.at["upgrade.committed"] - watch.at["upgrade.marked"],
        "upgrade.total_s": ended - watch.began,
        "upgrade.progress_reports": len(watch.reports),
        "upgrade.longest_silence_s": max(pauses),
        "upgrade.peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit,
    }


if __name__ == "__main__":
    print(json.dumps(_upgrade(Path(sys.argv[1]))))
