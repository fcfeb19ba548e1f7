"""What can be told of a program without starting a session."""

import pytest

from groupx.adapters.acp.adapter import AcpAdapter
from groupx.adapters.acp.drivers import ACP, DEMO, GROK, KIMI
from groupx.adapters.contract import SessionProfile


@pytest.fixture
def program(tmp_path):
    """An executable with a shell script for a body."""

    def make(name, body):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return str(path)

    return make


def profile(*command, **env):
    return SessionProfile(agent_id="a", command=command, cwd="/", env=env, run_dir="/")


async def test_found_by_path_with_its_version(spawner, program, tmp_path):
    path = program("kimi", 'echo "kimi 2.1.0"; echo more')
    report = await AcpAdapter(KIMI).probe(profile(PATH=f"{tmp_path}:/bin"), spawner)
    assert (report.found, report.path, report.version) == (True, path, "kimi 2.1.0")
    assert report.problem is None


async def test_missing_says_what_to_install(spawner):
    report = await AcpAdapter(KIMI).probe(profile(PATH="/nowhere"), spawner)
    assert (report.found, report.version) == (False, None)
    assert "npm install -g @moonshot-ai/kimi-code" in report.problem


async def test_a_program_that_lacks_our_flags_is_too_old(spawner, program):
    path = program("grok", 'echo "grok 0.1 --no-leader"')
    report = await AcpAdapter(GROK).probe(profile(path), spawner)
    assert report.found
    assert "--always-approve" in report.problem
    assert "--no-leader" not in report.problem


async def test_one_of_ours_is_not_started(spawner, program, tmp_path):
    path = program("agent", f"touch {tmp_path}/started")
    report = await AcpAdapter(ACP).probe(profile(path), spawner)
    assert (report.found, report.version) == (True, None)
    assert not (tmp_path / "started").exists()


async def test_no_command_at_all(spawner):
    report = await AcpAdapter(ACP).probe(profile(), spawner)
    assert not report.found
    assert "`command`" in report.problem


async def test_the_demo_is_always_there(spawner):
    assert (await AcpAdapter(DEMO).probe(profile(), spawner)).found
