"""Peers for the suite: a scripted program for each driver, and the official ACP SDK's agent."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from conformance.dialects.acp_sdk import AcpSdkDialect


@pytest.fixture(scope="session")
def sdk_dialect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[type[AcpSdkDialect]]:
    """Its agents are forked from one that is started."""
    socket = tmp_path_factory.mktemp("sdk") / "socket"
    program = (sys.executable, str(AcpSdkDialect.agent), "--listen", str(socket))
    with subprocess.Popen(program, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"

        class Forked(AcpSdkDialect):
            address = socket

        yield Forked
        process.kill()
