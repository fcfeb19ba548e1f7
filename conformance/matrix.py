"""Make docs/capabilities.md: every real program that is installed, against the mock model.

`python -m conformance.matrix [PROGRAM…]` runs `groupx conformance run --model-turns` for each in a
home of its own, and merges the reports with `groupx conformance matrix`. It takes some minutes; a
program that is not installed is left out, with its reason in the output.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from groupx.capabilities.mcp_cases import TEXT
from groupx.capabilities.prompts import ECHO

from .mock import MockModel
from .real_programs import PROGRAMS, RealProgram

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "capabilities.md"
GROUPX = (sys.executable, "-m", "groupx", "conformance")
HANDSHAKE_SECONDS = 90
RUN_SECONDS = 900
NOTE = "Its model was the mock model on loopback"

EXPLAINED = {
    "mode": {
        "claude": "Its mode is in its arguments, and every turn's own report of it is checked.",
        "codex": "Its approval policy and sandbox are set in the request that opens a thread.",
        "grok": "It has no modes: `--always-approve` is in its arguments.",
    },
    "usage": {"kimi": "It tells how full its context is, and no tokens of a turn."},
    "mcp-connects": {
        "gemini": "It connects when its first message comes.",
    },
    "resume": {
        "gemini": "It may lose a session whose process has ended (seen in most runs); it says so, "
        "and GroupX opens a new one and tells it what was said before.",
    },
    "after-cancel": {},
}
"""Case → program → why its cell is not what one would wish for."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("programs", nargs="*", choices=[[], *PROGRAMS], metavar="PROGRAM")
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    parser.add_argument("--reports", type=Path, help="Keep the JSON reports in this folder.")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="groupx-matrix-") as folder:
        reports = arguments.reports or Path(folder)
        reports.mkdir(parents=True, exist_ok=True)
        found = [
            report
            for name in arguments.programs or PROGRAMS
            if (report := report_of(PROGRAMS[name], Path(folder), reports))
        ]
        if not found:
            print("No report was made, so no matrix was.")
            return 1
        merged = [*GROUPX, "matrix", *map(str, found), "--output", str(arguments.output)]
        return subprocess.run(merged, cwd=ROOT, check=False).returncode


def report_of(program: RealProgram, folder: Path, reports: Path) -> Path | None:
    """Run the cases over one program; its report, or None with the reason printed."""
    path = program.path()
    if path is None:
        print(f"{program.name}: left out: {program.missing()}", flush=True)
        return None
    report = reports / f"{program.name}.json"
    report.unlink(missing_ok=True)
    with MockModel(log=folder / f"{program.name}.model.jsonl") as model:
        environment = {
            **os.environ,
            **program.environment(folder / program.name, model.url),
            # Found by its name, so that the report names no folder of this machine.
            "PATH": f"{Path(path).parent}{os.pathsep}{os.environ['PATH']}",
        }
        done = subprocess.run(arguments_of(program, report), env=environment, cwd=ROOT, check=False)
    if not report.exists():
        print(f"{program.name}: left out: its run ended with status {done.returncode}", flush=True)
        return None
    return report


def arguments_of(program: RealProgram, report: Path) -> list[str]:
    options = {
        "--driver": program.driver,
        "--command": program.name,
        "--args": " ".join(program.args),
        "--mode": program.mode,
        "--note": NOTE,
        "--handshake-timeout": str(HANDSHAKE_SECONDS),
        "--timeout": str(RUN_SECONDS),
        "--json": str(report),
    }
    directives = {
        "tool": program.shell.format(command=f"echo {ECHO}"),
        "mcp-tool": program.post.format(text=TEXT),
    }
    given = [part for option, value in options.items() if value for part in (option, value)]
    for case, words in directives.items():
        given += ["--directive", f"{case}={words}"]
    return [*GROUPX, "run", "--model-turns", *given]


if __name__ == "__main__":
    sys.exit(main())
