"""Which program is started for a configured command."""

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

PROGRAM = ("codex",)
ARGUMENTS = ("app-server",)
INSTALL = "Install Codex: npm install -g @openai/codex. Then run `codex login` once."
SHIM = "codex.js"
SHIM_NOTE = (
    "npm's Node script was found, and not the native binary that belongs to it: it starts more "
    "slowly, and killing it may leave the binary behind. Install Codex again, with npm's optional "
    "packages"
)
_CPUS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def native_prefix(command: tuple[str, ...], environment: Mapping[str, str]) -> tuple[str, ...]:
    """`command`, with npm's Node script replaced by the native binary that it would start.

    The script needs half a second, and killing it leaves the binary behind.
    """
    if len(command) != 1:
        return command
    found = shutil.which(command[0], path=environment.get("PATH"))
    if found is None:
        return command
    script = Path(found).resolve()
    if script.name != SHIM:
        return command
    binary = _binary_of(script.parents[1])
    return command if binary is None else (str(binary),)


def is_shim(path: str) -> bool:
    """Whether it is npm's Node script."""
    return Path(path).resolve().name == SHIM


def _binary_of(package: Path) -> Path | None:
    """The binary of this machine, in the package beside or inside `@openai/codex`."""
    named = f"codex-{sys.platform}-{_CPUS.get(platform.machine().lower(), '')}"
    homes = (package.parent / named, package / "node_modules" / "@openai" / named, package)
    for home in homes:
        for binary in sorted((home / "vendor").glob("*/bin/codex")):
            if os.access(binary, os.X_OK):
                return binary
    return None
