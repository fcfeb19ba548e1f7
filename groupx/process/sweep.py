"""What a start does with the run folder that an earlier run left behind."""

import re
import shutil
from pathlib import Path

import attrs

from groupx.process.environment import run_mark
from groupx.process.run_end import end_run

SWEEP_SECONDS = 5.0
_RECORD = re.compile(r"([0-9a-f]{32})\.run")


@attrs.frozen(kw_only=True)
class Swept:
    """What is left after a sweep; both empty when all went well."""

    processes: tuple[int, ...] = ()
    """Alive in spite of SIGKILL; their run is swept again by the next start."""
    paths: tuple[str, ...] = ()
    """Could not be removed."""


def record_run(run_dir: Path, run_id: str) -> None:
    """Note, before the first child, that this run may leave processes. The name says it all."""
    (run_dir / f"{run_id}.run").touch(mode=0o600)


def sweep(run_dir: Path, *, seconds: float = SWEEP_SECONDS) -> Swept:
    """End what recorded runs left running and empty the folder. Blocking; under the lease only.

    Creates the folder (0700) when it is missing. Never follows a link out of it.
    """
    run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    processes: set[int] = set()
    paths: list[str] = []
    for entry in sorted(run_dir.iterdir()):
        if record := _RECORD.fullmatch(entry.name):
            alive = end_run(run_mark(record[1]), {}, seconds=seconds)
            if alive:
                processes |= alive
                continue
        try:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        except OSError:
            paths.append(str(entry))
    return Swept(processes=tuple(sorted(processes)), paths=tuple(paths))
