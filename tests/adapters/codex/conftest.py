"""A scripted app-server as a real process behind the Codex driver."""

from functools import partial
from pathlib import Path

import pytest

from groupx.adapters.codex.adapter import CodexAdapter

PROGRAM = Path(__file__).parents[3] / "conformance" / "agents" / "app_server_scripted.py"


@pytest.fixture
def app_server(scripted):
    """`async with app_server(scenario, **profile fields) as rig`."""
    return partial(scripted, adapter=CodexAdapter(), program=PROGRAM)
