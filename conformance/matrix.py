"""Make docs/capabilities.md: every real program that is installed, against the mock model.

`python -m conformance.matrix [PROGRAM…]` runs `groupx conformance run --model-turns` for each in a
home of its own, and merges the reports with `groupx conformance matrix`. It takes some minutes; a
program that is not installed is left out, with its reason in the output.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from groupx.capabilities.documents import read_report
from groupx.capabilities.mcp_cases import TEXT
from groupx.capabilities.prompts import COMMAND

from .asked import read_arguments
from .mock import MockModel
from .notes import notes_on
from .real_programs import PROGRAMS, RealProgram
from .room_report import kept_section, with_section

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "capabilities.md"
GROUPX = (sys.executable, "-m", "groupx", "conformance")
HANDSHAKE_SECONDS = 90
RUN_SECONDS = 900
SLACK_SECONDS = 120
"""Beyond `--timeout`, for the run to end what it started and write its report."""
NOTE = "Its model was the mock model on loopback"


def main() -> int:
    arguments = read_arguments("Make docs/capabilities.md.", DOCUMENT)
    with tempfile.TemporaryDirectory(prefix="groupx-matrix-") as folder:
        reports = arguments.reports or Path(folder)
        reports.mkdir(parents=True, exist_ok=True)
        for name in arguments.programs or PROGRAMS:
            make_report(PROGRAMS[name], Path(folder), reports / f"{name}.json")
        made = [file for name in PROGRAMS if (file := reports / f"{name}.json").exists()]
        return merge(made, arguments.output)


def merge(reports: list[Path], output: Path) -> int:
    """One document of the reports; status 1 when there is none, or a cell that nobody explains."""
    if not reports:
        print("No report was made, so no matrix was.")
        return 1
    rooms = kept_section(output.read_text()) if output.exists() else ""
    merged = [*GROUPX, "matrix", *map(str, reports), "--output", str(output)]
    subprocess.run(merged, cwd=ROOT, check=True)
    notes, unexplained = notes_on([read_report(file.read_bytes()) for file in reports])
    output.write_text(with_section(output.read_text() + notes, rooms))
    for cell in unexplained:
        print(f"not explained: {cell}. Find out why, and say it in conformance/notes.py.")
    return 1 if unexplained else 0


def make_report(program: RealProgram, folder: Path, report: Path) -> None:
    """Run the cases over one program; why there is no report is printed."""
    report.unlink(missing_ok=True)
    path = program.path()
    if path is None:
        print(f"{program.name}: left out: {program.missing()}", flush=True)
        return
    with MockModel(log=folder / f"{program.name}.model.jsonl") as model:
        environment = {
            **os.environ,
            **program.environment(folder / program.name, model.url),
            # Found by its name, so that the report names no folder of this machine.
            "PATH": f"{Path(path).parent}{os.pathsep}{os.environ['PATH']}",
        }
        try:
            done = subprocess.run(
                arguments_of(program, report),
                env=environment,
                cwd=ROOT,
                check=False,
                timeout=RUN_SECONDS + SLACK_SECONDS,
            )
            how = f"ended with status {done.returncode}"
        except subprocess.TimeoutExpired as late:
            how = f"did not end within {late.timeout:g} s and was killed"
    if not report.exists():
        print(f"{program.name}: left out: its run {how}", flush=True)


def arguments_of(program: RealProgram, report: Path) -> list[str]:
    options = {
        "--driver": program.driver,
        "--command": program.name,
        "--args": shlex.join(program.args),
        "--mode": program.mode,
        "--note": NOTE,
        "--handshake-timeout": str(HANDSHAKE_SECONDS),
        "--timeout": str(RUN_SECONDS),
        "--json": str(report),
    }
    directives = {
        "tool": program.shell.format(command=COMMAND),
        "mcp-tool": program.uses("post", text=TEXT),
    }
    given = [part for option, value in options.items() if value for part in (option, value)]
    for case, words in directives.items():
        given += ["--directive", f"{case}={words}"]
    return [*GROUPX, "run", "--model-turns", *given]


if __name__ == "__main__":
    sys.exit(main())
