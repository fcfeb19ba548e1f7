"""Fetch the real programs that `-m real` tests drive, into `.real/` of the checkout.

`python -m conformance.install_real`; needs npm and pip. Nothing outside `.real/` is written. Ends
with status 0 and a printed reason when something cannot be fetched: those tests are then skipped.
The ordinary ones are fetched when none is named; `python -m conformance.install_real all` or
their names fetch more.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import attrs

FOLDER = Path(__file__).resolve().parents[1] / ".real"
SECONDS = 240
ORDINARY = ("grok", "claude")
"""What is fetched when none is named: two protocols, little to download."""


class NotInstalled(Exception):
    """Why a program could not be fetched."""


class Source(Protocol):
    """Where one program comes from."""

    def program(self, folder: Path) -> Path:
        """Where it is once it was fetched into `folder`."""
        ...

    def fetch(self, folder: Path) -> None:
        """Fetch it; raises NotInstalled."""
        ...


@attrs.frozen
class Npm:
    """A package of npm's registry; `node` is the Node that it needs where the system's is older."""

    package: str
    command: str
    node: str | None = None

    def program(self, folder: Path) -> Path:
        return folder / "node_modules" / ".bin" / self.command

    def fetch(self, folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise NotInstalled("npm was not found.")
        home = folder / "home"  # some packages install more into the home folder
        home.mkdir(exist_ok=True)
        bins = str(folder / "node_modules" / ".bin")
        environment = {
            "npm_config_userconfig": str(Path.home() / ".npmrc"),
            **os.environ,
            "HOME": str(home),
            "GROK_HOME": str(home / ".grok"),
            "PATH": f"{bins}:{os.environ['PATH']}",  # npm picks versions by the Node it runs on
        }
        options = ["--no-audit", "--no-fund", "--prefix", str(folder)]
        packages = [f"node@{self.node}"] if self.node else []
        try:
            for package in [*packages, self.package]:
                run([npm, "install", *options, package], environment)
        finally:
            shutil.rmtree(home, ignore_errors=True)


@attrs.frozen
class Wheel:
    """A program that lies inside of a Python wheel."""

    package: str
    inside: str

    def program(self, folder: Path) -> Path:
        return folder / self.inside

    def fetch(self, folder: Path) -> None:
        where = ["--no-deps", "--only-binary", ":all:", "--target", str(folder)]
        run([sys.executable, "-m", "pip", "install", "--quiet", *where, self.package], os.environ)


@attrs.frozen
class Venv:
    """A program written in Python, with an environment of its own."""

    package: str
    command: str

    def program(self, folder: Path) -> Path:
        return folder / "bin" / self.command

    def fetch(self, folder: Path) -> None:
        run([sys.executable, "-m", "venv", "--clear", str(folder)], os.environ)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        run([*pip, "--disable-pip-version-check", self.package], os.environ)


SOURCES: Mapping[str, Source] = {
    "grok": Npm("@xai-official/grok", "grok"),
    "claude": Wheel("claude-agent-sdk", "claude_agent_sdk/_bundled/claude"),
    "codex": Npm("@openai/codex", "codex"),
    "kimi": Npm("@moonshot-ai/kimi-code", "kimi", node="24"),
    "hermes": Venv("hermes-agent[acp,mcp]", "hermes"),
    "opencode": Npm("opencode-ai", "opencode"),
    "gemini": Npm("@google/gemini-cli", "gemini"),
}
"""Program → where it comes from."""


def fetched(name: str) -> Path:
    """Where a program is once it was fetched."""
    return SOURCES[name].program(FOLDER / name)


def install(name: str) -> str:
    """Fetch one program, unless it is there, and say how it went."""
    program = fetched(name)
    if program.exists():
        return f"is there: {program}"
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        SOURCES[name].fetch(folder)
        if not program.exists():
            raise NotInstalled("the package has no such program.")
    except NotInstalled as reason:
        return f"not installed: {reason}"
    return f"installed in {time.monotonic() - began:.0f} s: {program}"


def run(command: list[str], environment: Mapping[str, str]) -> None:
    """Run an installer, bounded in time; raises NotInstalled with the last thing it said."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotInstalled(f"{Path(command[0]).name} needed more than {SECONDS} s.") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise NotInstalled(lines[-1] if lines else "the installer gave no reason.")


def main(names: list[str]) -> int:
    if names == ["all"]:
        names = list(SOURCES)
    if unknown := set(names) - set(SOURCES):
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(SOURCES)}")
        return 2
    for name in names or ORDINARY:
        print(f"{name}: {install(name)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
