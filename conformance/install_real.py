"""Fetch the real programs that `-m real` tests drive, into `.real/` of the checkout.

`python conformance/install_real.py`; needs npm and pip. Nothing outside `.real/` is written. Ends
with status 0 and a printed reason when something cannot be fetched: those tests are then skipped.
The large ones are fetched only when they are named: `python conformance/install_real.py codex`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".real"
CLAUDE = FOLDER / "python" / "claude_agent_sdk" / "_bundled" / "claude"
SECONDS = 240
NPM = {"grok": "@xai-official/grok", "codex": "@openai/codex"}
PIP = {"claude": "claude-agent-sdk"}
"""The SDK's wheel has the program in it."""
ORDINARY = ("grok", "claude")
"""What is fetched when none is named."""


def main(names: list[str]) -> int:
    known = [*NPM, *PIP]
    if unknown := set(names) - set(known):
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        return 2
    FOLDER.mkdir(exist_ok=True)
    for program in names or ORDINARY:
        install = install_with_npm if program in NPM else install_with_pip
        print(f"{program}: {install(program)}", flush=True)
    return 0


def install_with_npm(program: str) -> str:
    """Install one package and say how it went."""
    npm = shutil.which("npm")
    if npm is None:
        return "not installed: npm was not found."
    home = FOLDER / "home"  # some packages install more into the home folder
    home.mkdir(exist_ok=True)
    environment = {
        "npm_config_userconfig": str(Path.home() / ".npmrc"),
        **os.environ,
        "HOME": str(home),
        "GROK_HOME": str(home / ".grok"),
    }
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), NPM[program]]
    try:
        return fetch(command, environment, FOLDER / "node_modules" / ".bin" / program)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def install_with_pip(program: str) -> str:
    """Install one package and say how it went; an installed one is kept."""
    if CLAUDE.exists():
        return f"installed at {CLAUDE}"
    where = ["--no-deps", "--only-binary", ":all:", "--target", str(FOLDER / "python")]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *where, PIP[program]]
    return fetch(command, dict(os.environ), CLAUDE)


def fetch(command: list[str], environment: dict[str, str], found: Path) -> str:
    """Run an installer, bounded in time; whether the program is there."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not installed: {Path(command[0]).name} needed more than {SECONDS} s."
    if done.returncode or not found.exists():
        lines = (done.stderr or done.stdout).strip().splitlines()
        return f"not installed: {lines[-1] if lines else 'the installer gave no reason'}"
    return f"installed at {found}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
