"""The report of a room's tools in a program's hands, and its section in the capability matrix."""

import platform
import secrets
import time
from collections.abc import Sequence

import attrs

import groupx
from groupx.capabilities.evidence import Evidence, Subject
from groupx.capabilities.labels import Label, Status, label_of
from groupx.capabilities.redaction import Redactor
from groupx.capabilities.report import CaseReport, RunReport, check, sealed, verdict
from groupx.capabilities.room_cases import ROOM_CASES, RoomCase
from groupx.capabilities.tables import matrix
from groupx.domain.times import iso_from_ms

from .real_programs import RealProgram
from .room_proofs import PROOFS, NotProven, Seen

BEGIN, END = "<!-- room tools -->", "<!-- end of room tools -->"
INTRODUCTION = """\
## The room's tools

Made by `python -m conformance.room_tools`; do not edit. A real `groupx run` with the program and a
demo agent: in one turn its model calls the tools, and the ledger shows who did it."""
NOTE = "Its model was the mock model on loopback"


def now() -> str:
    return iso_from_ms(time.time_ns() // 1_000_000)


@attrs.frozen(kw_only=True)
class Course:
    """When a turn was, and what the program called itself in the room."""

    program: str
    version: str
    started_at: str
    milliseconds: int


def report_of(program: RealProgram, seen: Seen, course: Course) -> RunReport:
    """Every proof tried. Raises EvidenceRefused when it claims too much."""
    redactor = Redactor()
    profile = (program.mode or "driver's own mode", *redactor.argv(program.args))
    subject = Subject(
        driver=program.driver,
        program=course.program,
        version=course.version,
        profile=" ".join(profile),
    )
    evidence = Evidence(
        run_id=secrets.token_hex(8),
        case="",
        at=now(),
        subject=subject,
        argv=redactor.argv((*program.command(), *program.args)),
        observation=(),
    )
    cases = tuple(_tried(row, seen, course, evidence) for row in ROOM_CASES)
    report = sealed(
        RunReport(
            run_id=evidence.run_id,
            started_at=course.started_at,
            ended_at=now(),
            groupx_version=groupx.__version__,
            system=f"{platform.system()} {platform.machine()}",
            subject=subject,
            model_turns=True,
            note=NOTE,
            cases=cases,
        )
    )
    check(report)
    return report


def _tried(row: RoomCase, seen: Seen, course: Course, evidence: Evidence) -> CaseReport:
    try:
        status, detail, lines = Status.PASSED, "", PROOFS[row.name](seen)
    except NotProven as missing:
        status, detail, lines = Status.FAILED, Redactor().text(str(missing)), []
    observation = (*map(Redactor().text, lines), verdict(status, detail))
    return CaseReport(
        case=row.name,
        capability=row.capability,
        needs_model=row.needs_model,
        status=status,
        label=label_of(status, needs_model=row.needs_model, claimed=Label.DOCUMENTED),
        detail=detail,
        milliseconds=course.milliseconds,
        evidence=attrs.evolve(evidence, case=row.name, observation=observation),
    )


def section_of(reports: Sequence[RunReport]) -> str:
    """The reports as one section. Raises EvidenceRefused for what is not proven."""
    table = matrix(reports)
    rows = table[table.index("| capability") :].replace("## The runs", "### Their runs")
    return f"{BEGIN}\n{INTRODUCTION}\n\n{rows.strip()}\n{END}\n"


def kept_section(document: str) -> str:
    """The section in a document; empty when it has none."""
    if BEGIN not in document:
        return ""
    return document[document.index(BEGIN) : document.index(END) + len(END)] + "\n"


def with_section(document: str, section: str) -> str:
    """The document with this section in the place of the one that it has, or at its end."""
    if old := kept_section(document):
        return document.replace(old.rstrip("\n"), section.rstrip("\n"))
    return f"{document.rstrip()}\n\n{section}" if section else document
