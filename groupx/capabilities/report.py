"""The report of one run, and what it may claim."""

from datetime import datetime
from typing import Literal

import attrs

from groupx.capabilities.cases import CASES
from groupx.capabilities.evidence import Evidence, EvidenceRefused, Subject, digest
from groupx.capabilities.labels import PROVEN, Label, Status, label_of
from groupx.capabilities.room_cases import ROOM_CASES
from groupx.domain.wire import optional

SCHEMA = "groupx.conformance/2"
_ROWS = {row.name: row for row in (*CASES, *ROOM_CASES)}


@attrs.frozen(kw_only=True)
class CaseReport:
    """What one case said of one capability."""

    case: str
    capability: str
    needs_model: bool
    status: Status
    label: Label
    detail: str = ""
    milliseconds: int = 0
    evidence: Evidence | None = optional()


@attrs.frozen(kw_only=True)
class RunReport:
    """One run over one program."""

    schema: Literal["groupx.conformance/2"] = SCHEMA
    run_id: str
    started_at: str
    ended_at: str
    groupx_version: str
    system: str
    subject: Subject
    model_turns: bool
    note: str = ""
    cut_short: bool = False
    """Whether the run's time was over before all of its cases were."""
    cases: tuple[CaseReport, ...]
    sha256: str = ""
    """Of the whole report, this one left empty (see `digest`)."""

    @property
    def failed(self) -> tuple[CaseReport, ...]:
        """The cases in which the program broke what GroupX relies on."""
        return tuple(case for case in self.cases if case.status is Status.FAILED)


def verdict(status: Status, detail: str) -> str:
    """The last line of a case's observation."""
    return f"{status} {detail}".strip()


def sealed(report: RunReport) -> RunReport:
    """The report with every SHA-256 as it has to be."""
    cases = tuple(_with_seal(case) for case in report.cases)
    report = attrs.evolve(report, cases=cases, sha256="")
    return attrs.evolve(report, sha256=digest(report))


def _with_seal(case: CaseReport, seal: str | None = None) -> CaseReport:
    if case.evidence is None:
        return case
    seal = digest(_with_seal(case, "")) if seal is None else seal
    return attrs.evolve(case, evidence=attrs.evolve(case.evidence, sha256=seal))


def check(report: RunReport) -> None:
    """Raises EvidenceRefused for the first claim that its evidence does not prove."""
    names = [case.case for case in report.cases]
    if not names:
        raise EvidenceRefused("There is no case in the report. Run it again.")
    if len(set(names)) < len(names):
        raise EvidenceRefused("A case stands twice in the report, so neither counts.")
    for case in report.cases:
        wrong = _contradiction(report, case) or _unproven(report, case)
        if wrong:
            raise EvidenceRefused(
                f"Case '{case.case}' claims '{case.label}', but {wrong}. The report cannot be "
                "used; run it again."
            )
    if digest(attrs.evolve(report, sha256="")) != report.sha256:
        raise EvidenceRefused(
            "The report was changed after its run: its SHA-256 is of something else. Run it again."
        )


def _contradiction(report: RunReport, case: CaseReport) -> str | None:
    row = _ROWS.get(case.case)
    if row is None:
        return "this version of GroupX has no such case"
    if (case.capability, case.needs_model) != (row.capability, row.needs_model):
        return f"that case is of another capability ('{row.capability}')"
    proven = label_of(case.status, needs_model=case.needs_model, claimed=case.label)
    if case.label is not proven or (case.status is Status.SKIPPED and case.label in PROVEN):
        return f"its status is '{case.status}'"
    if case.label is Label.VERIFIED and not (case.needs_model and report.model_turns):
        return "no turn of a model was part of it"
    return None


def _unproven(report: RunReport, case: CaseReport) -> str | None:
    evidence, asked = case.evidence, report.subject
    if evidence is None:
        return None if case.status is Status.SKIPPED else "there is no evidence"
    seen = evidence.subject
    pairs = (
        ("another run", evidence.run_id, report.run_id),
        ("another case", evidence.case, case.case),
        ("another driver", seen.driver, asked.driver),
        ("another program", seen.program, asked.program),
        ("another version", seen.version, asked.version),
        ("another profile", seen.profile, asked.profile),
    )
    for what, found, wanted in pairs:
        if found != wanted:
            return f"its evidence is of {what} ('{found}', not '{wanted}')"
    if not asked.version and case.label in PROVEN:
        return "its evidence names no version of the program"
    if not evidence.argv or not evidence.observation:
        return "its evidence is empty"
    if evidence.observation[-1] != verdict(case.status, case.detail):
        return f"its evidence says otherwise in its last line ('{evidence.observation[-1]}')"
    if digest(_with_seal(case, "")) != evidence.sha256:
        return "its evidence was changed: the SHA-256 is of something else"
    if not _is_between(report.started_at, evidence.at, report.ended_at):
        return "its evidence is of another time than the run"
    return None


def _is_between(start: str, at: str, end: str) -> bool:
    try:
        return (
            datetime.fromisoformat(start)
            <= datetime.fromisoformat(at)
            <= (datetime.fromisoformat(end))
        )
    except (ValueError, TypeError):
        return False
