"""Fetch the real programs that `-m real` tests drive, into `.real/` of the checkout.

`python conformance/install_real.py`; needs npm. Nothing outside `.real/` is written. Ends with
status 0 and a printed reason when something cannot be fetched: those tests are then skipped.
The large ones are fetched only when they are named: `python conformance/install_real.py codex`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".real"
SECONDS = 300
PACKAGES = {"grok": "@xai-official/grok"}
LARGE_PACKAGES = {"codex": "@openai/codex"}
"""Over 400 MB each."""


def main(names: list[str]) -> int:
    packages = {**PACKAGES, **LARGE_PACKAGES}
    if unknown := set(names) - set(packages):
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(packages)}")
        return 2
    npm = shutil.which("npm")
    if npm is None:
        print("npm was not found: the real programs are not installed, their tests are skipped.")
        return 0
    FOLDER.mkdir(exist_ok=True)
    for program in names or PACKAGES:
        print(f"{program}: {install(npm, program, packages[program])}")
    return 0


def install(npm: str, program: str, package: str) -> str:
    """Install one package and say how it went."""
    home = FOLDER / "home"  # some packages install more into the home folder
    home.mkdir(exist_ok=True)
    environment = {
        "npm_config_userconfig": str(Path.home() / ".npmrc"),
        **os.environ,
        "HOME": str(home),
        "GROK_HOME": str(home / ".grok"),
    }
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), package]
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
        return f"not installed: npm needed more than {SECONDS} s."
    finally:
        shutil.rmtree(home, ignore_errors=True)
    found = FOLDER / "node_modules" / ".bin" / program
    if done.returncode or not found.exists():
        lines = (done.stderr or done.stdout).strip().splitlines()
        return f"not installed: {lines[-1] if lines else 'npm gave no reason'}"
    return f"installed at {found}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
