"""A conversation with an agent built on the official SDK."""

import sys
from pathlib import Path

import pytest
import trio

from groupx.adapters.acp.adapter import AcpAdapter
from groupx.adapters.acp.drivers import ACP
from groupx.adapters.contract import Cancelled, Completed, ContentDelta, SessionProfile

PROGRAM = Path(__file__).parents[2] / "conformance" / "agents" / "acp_sdk.py"


@pytest.mark.slow
async def test_prompt_cancel_prompt_close(spawner, tmp_path):
    profile = SessionProfile(
        agent_id="sdk",
        command=(sys.executable, str(PROGRAM)),
        cwd=str(tmp_path),
        run_dir=str(tmp_path),
    )
    async with trio.open_nursery() as nursery:
        session = await nursery.start(AcpAdapter(ACP).serve, profile, spawner)
        assert session.facts.program_name == "sdk-agent"

        said = []
        assert await session.prompt("hello", said.append) == Completed()
        assert "".join(e.text for e in said if isinstance(e, ContentDelta)) == "You said: hello"

        began = trio.Event()

        async def cancel_once_begun():
            await began.wait()
            await session.cancel()

        nursery.start_soon(cancel_once_begun)
        assert await session.prompt("wait", lambda _: began.set()) == Cancelled()
        assert await session.prompt("again", lambda _: None) == Completed()
        await session.close()
        await session.closed.wait()
