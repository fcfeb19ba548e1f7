"""The room's tools in the hands of real programs: one real room each, the mock model behind it.

`python -m conformance.room_tools [PROGRAM…]`, in a checkout, makes the section of its name in
docs/capabilities.md. It takes some seconds for each program; one that is not installed is left out.
"""

import sys
import tempfile
import time
from pathlib import Path

import attrs

from groupx.capabilities.documents import read_report, write_report
from groupx.capabilities.report import RunReport
from groupx.capabilities.tables import plain_table
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn
from tests.system.processes import command_lines
from tests.system.stream import EventStream

from .asked import read_arguments
from .matrix import DOCUMENT
from .mock import MockModel
from .real_programs import PROGRAMS, RealProgram
from .room_proofs import HELPER, Seen, script
from .room_report import Course, now, report_of, section_of, with_section

TIMEOUTS = {"request": 60_000, "handshake": 90_000}
"""Of a busy machine's first start."""
TURN_SECONDS = 90.0


@attrs.frozen(kw_only=True)
class Given:
    """A turn that is to call every tool; `began` by the monotonic clock."""

    program: RealProgram
    turn_id: str
    started_at: str
    began: float


def give(daemon: Daemon, program: RealProgram) -> Given:
    """Have a program of a running room begin to call every tool, in one turn."""
    started_at, began = now(), time.monotonic()
    turn_id = daemon.send(script(program), f"agent:{program.name}")["turns"][0]["turnId"]
    return Given(program=program, turn_id=turn_id, started_at=started_at, began=began)


def prove(daemon: Daemon, stream: EventStream, model: MockModel, given: Given) -> RunReport:
    """What came of it, once the turn has ended."""
    program, turn_id = given.program, given.turn_id
    stream.until(of_turn(turn_id, *TERMINAL), "the end of the turn with the tools", TURN_SECONDS)
    milliseconds = int((time.monotonic() - given.began) * 1000)
    agents = daemon.get("/api/bootstrap")["agents"]
    [told] = [agent["program"] for agent in agents if agent["id"] == program.name]
    seen = Seen(
        name=program.name,
        turn_id=turn_id,
        events=daemon.history(),
        requests=list(model.requests),
        command_lines=command_lines(daemon.left_processes()),
        logs=daemon.said(),
    )
    course = Course(
        program=told["name"],
        version=told["version"],
        started_at=given.started_at,
        milliseconds=milliseconds,
    )
    return report_of(program, seen, course)


def run_room(program: RealProgram, folder: Path) -> RunReport:
    """A room of the program and the helper, from its start to its end."""
    folder.mkdir()
    with MockModel(log=folder / "model.jsonl") as model:
        agents = {
            program.name: program.agent(folder / "home", model.url),
            HELPER: demo_agent(),
        }
        daemon = Daemon(folder, agents, timeouts=TIMEOUTS)
        try:
            daemon.start()
            daemon.wait_idle(TURN_SECONDS)
            with daemon.stream() as stream:
                report = prove(daemon, stream, model, give(daemon, program))
            assert daemon.terminate() == 0, daemon.said()
            return report
        finally:
            daemon.dispose()


def main() -> int:
    given = read_arguments("Make the room's tools' section of the matrix.", DOCUMENT)
    with tempfile.TemporaryDirectory(prefix="groupx-room-") as folder:
        files = given.reports or Path(folder) / "reports"
        files.mkdir(parents=True, exist_ok=True)
        for name in given.programs or PROGRAMS:
            program = PROGRAMS[name]
            if program.path() is None:
                print(f"{name}: left out: {program.missing()}", flush=True)
                continue
            report = run_room(program, Path(folder) / name)
            (files / f"{name}.json").write_bytes(write_report(report))
            print(plain_table(report), end="\n\n", flush=True)
        made = [files / f"{name}.json" for name in PROGRAMS]
        reports = [read_report(file.read_bytes()) for file in made if file.exists()]
    if not reports:
        print("No room was run, so the document stays as it is.")
        return 1
    document = given.output.read_text() if given.output.exists() else ""
    given.output.write_text(with_section(document, section_of(reports)))
    return 1 if any(report.failed for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
