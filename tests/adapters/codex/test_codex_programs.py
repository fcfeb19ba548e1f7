"""Behind npm's Node script is the native binary, which is what is started."""

import platform
import sys

import pytest

from groupx.adapters.codex.adapter import CodexAdapter
from groupx.adapters.codex.programs import SHIM_NOTE, native_prefix
from groupx.adapters.contract import SessionProfile

NAMED = f"codex-{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"


def executable(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def modules(tmp_path):
    """An npm prefix with the script, and its link in bin."""
    modules = tmp_path / "lib" / "node_modules"
    script = executable(modules / "@openai" / "codex" / "bin" / "codex.js")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "codex").symlink_to(script)
    return modules


@pytest.mark.parametrize(
    "package", [f"@openai/{NAMED}", f"@openai/codex/node_modules/@openai/{NAMED}", "@openai/codex"]
)
def test_the_binary_of_this_machine(modules, tmp_path, package):
    executable(modules / "@openai/codex-other-cpu/vendor/other/bin/codex")
    binary = executable(modules / package / "vendor" / "some-triple" / "bin" / "codex")
    found = native_prefix(("codex",), {"PATH": str(tmp_path / "bin")})
    assert found == (str(binary),)
    assert native_prefix((str(tmp_path / "bin" / "codex"),), {}) == found


def test_a_script_without_its_binary_is_started_itself(modules, tmp_path):
    assert native_prefix(("codex",), {"PATH": str(tmp_path / "bin")}) == ("codex",)


async def test_a_script_without_its_binary_is_told(modules, tmp_path, spawner):
    env = {"PATH": f"{tmp_path / 'bin'}:/bin"}
    profile = SessionProfile(agent_id="a", command=(), cwd="/", env=env, run_dir="/")
    assert (await CodexAdapter().probe(profile, spawner)).notes == (SHIM_NOTE,)
    executable(modules / "@openai" / NAMED / "vendor" / "some-triple" / "bin" / "codex")
    assert (await CodexAdapter().probe(profile, spawner)).notes == ()


@pytest.mark.parametrize("command", [("npx", "@openai/codex"), ("no-such-program",)])
def test_any_other_command_is_left_alone(command, tmp_path):
    assert native_prefix(command, {"PATH": str(tmp_path)}) == command


def test_a_native_binary_is_left_alone(tmp_path):
    executable(tmp_path / "codex")
    assert native_prefix(("codex",), {"PATH": str(tmp_path)}) == ("codex",)
