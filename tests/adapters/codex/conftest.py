"""A scripted app-server as a real process behind the Codex driver."""

from functools import partial

import pytest

from conformance.dialects.app_server import AppServerDialect
from groupx.adapters.codex.adapter import CodexAdapter

PROGRAM = AppServerDialect.agent


@pytest.fixture
def app_server(scripted):
    """`async with app_server(scenario, **profile fields) as rig`."""
    return partial(scripted, adapter=CodexAdapter(), program=PROGRAM)
