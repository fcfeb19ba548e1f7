"""For every test: what a child process of it is started with, where its files are, and in which
order files are run."""

import os
from collections import Counter

import pytest

MEMORY = "/dev/shm"
ENOUGH_BYTES = 2 << 30
"""A whole run writes a quarter of a gigabyte, and the last three are kept."""

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""Programs that tests start keep their bytecode, as installed ones do; compiling GroupX takes each
start of a daemon half a second."""


def _takes_files(folder: str) -> bool:
    """Whether it is there, large enough, and lets programs be run from it."""
    if not os.access(folder, os.W_OK):
        return False
    there = os.statvfs(folder)
    free = there.f_bavail * there.f_frsize
    return free > ENOUGH_BYTES and not there.f_flag & os.ST_NOEXEC


if _takes_files(MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)
    """Where a commit does not wait for a disk: no test takes the power away."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with the most slow tests come first, so that no worker is left with one at the
    end."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])
