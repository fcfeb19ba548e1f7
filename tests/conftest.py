"""For every test: what a child process of it is started with, and in which order files are run."""

import os
from collections import Counter

import pytest

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""Programs that tests start keep their bytecode, as installed ones do; compiling GroupX takes each
start of a daemon half a second."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with the most slow tests come first, so that no worker is left with one at the
    end."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])
