"""Reports for people: a plain table for a terminal, Markdown for a document."""

import re
import textwrap
from collections.abc import Sequence

from groupx.capabilities.evidence import EvidenceRefused
from groupx.capabilities.labels import Label, Status
from groupx.capabilities.report import CaseReport, RunReport, check
from groupx.domain.text import excerpt

WIDTH = 80
MAX_WORDS, MAX_ARGV = 300, 1000
"""Characters of what others said that a document shows."""
_MARKUP = re.compile(r"[\\`*_\[\]|#~]")
_NAME, _STATUS, _LABEL = 40, 13, 13
_INDENT = " " * 4
_MARKS = {
    Status.PASSED: "passed",
    Status.FAILED: "FAILED",
    Status.NOT_OBSERVED: "not observed",
    Status.UNSUPPORTED: "unsupported",
    Status.SKIPPED: "not run",
}
_TOLD = (Status.FAILED, Status.NOT_OBSERVED, Status.UNSUPPORTED)
"""What a matrix tells the reason of."""
LEGEND = (
    (Label.VERIFIED, "used in a model's turn, from end to end"),
    (Label.PROBED, "used without a model's turn"),
    (Label.ADVERTISED, "the program itself says so"),
    (Label.DOCUMENTED, "its protocol or its makers say so"),
    (Label.NOT_OBSERVED, "looked for and not seen, or claimed by nobody"),
    (Label.UNSUPPORTED, "the program has it not, or refuses it"),
)


def head(report: RunReport) -> str:
    """Which program was looked at."""
    return f"{_program(report)}, driver {report.subject.driver}"


def _program(report: RunReport) -> str:
    subject = report.subject
    return f"{_words(subject.program)} {_words(subject.version or '(version not told)')}"


def plain_table(report: RunReport) -> str:
    """At most 80 columns; what is not just passed says why."""
    check(report)
    lines = [head(report), f"{'capability':<{_NAME}}{'case':<{_STATUS}}{'label':<{_LABEL}}time"]
    lines.append("-" * WIDTH)
    for case in report.cases:
        lines += plain_rows(case)
    counts = [
        f"{sum(case.status is status for case in report.cases)} {mark}"
        for status, mark in _MARKS.items()
    ]
    lines += ["-" * WIDTH, f"{', '.join(counts)} (run {report.run_id})"]
    skipped = {case.detail for case in report.cases if case.status is Status.SKIPPED}
    lines += [f"Not run: {reason}." for reason in sorted(skipped)]
    return "\n".join(lines)


def plain_rows(case: CaseReport) -> list[str]:
    """One case's rows of the table."""
    time = f"{case.milliseconds / 1000:.1f} s" if case.evidence else ""
    row = f"{case.capability:<{_NAME}}{_MARKS[case.status]:<{_STATUS}}{case.label:<{_LABEL}}{time}"
    if case.status in (Status.PASSED, Status.SKIPPED) or not case.detail:
        return [row.rstrip()]
    wrapped = textwrap.wrap(case.detail, WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return [row.rstrip(), *wrapped]


def markdown_report(report: RunReport) -> str:
    """One run as a document, with what proves each label."""
    check(report)
    rows = [
        "| capability | case | label | what was seen | SHA-256 of the evidence |",
        "|---|---|---|---|---|",
    ]
    for case in report.cases:
        proof = f"`{case.evidence.sha256[:16]}`" if case.evidence else ""
        cells = (case.capability, _MARKS[case.status], case.label, case.detail, proof)
        rows.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    facts = [
        f"* Run `{report.run_id}`, {report.started_at} to {report.ended_at}, on {report.system}, "
        f"by GroupX {report.groupx_version}",
        f"* Profile: {_cell(report.subject.profile)}",
        f"* Started as: `{_started_as(report)}`",
        f"* Turns of a model: {'yes' if report.model_turns else 'no'}",
        *([f"* {_cell(report.note)}"] if report.note else []),
    ]
    return "\n".join([f"# {_cell(head(report))}", "", *facts, "", *rows, ""])


def matrix(reports: Sequence[RunReport]) -> str:
    """Rows are capabilities, columns programs. Raises EvidenceRefused: a report claims too much,
    or two are of the same program, version and profile."""
    for report in reports:
        check(report)
    subjects = [report.subject for report in reports]
    if len(set(subjects)) < len(subjects):
        raise EvidenceRefused(
            "Two of the reports are of the same program, version and profile. Leave out the older."
        )
    names: dict[str, str] = {}
    for report in reports:
        names |= {case.case: case.capability for case in report.cases}
    columns = [_program(report) for report in reports]
    rows = [
        f"| capability | {' | '.join(map(_cell, columns))} |",
        "|---" * (len(reports) + 1) + "|",
    ]
    for name, capability in names.items():
        cells = [_matrix_cell(report, name) for report in reports]
        rows.append(f"| {' | '.join([_cell(capability), *cells])} |")
    return "\n".join([_INTRODUCTION, *rows, "", *_sources(reports)])


_INTRODUCTION = "\n".join(
    [
        "# What the programs can do",
        "",
        "Made by `groupx conformance matrix` out of runs of `groupx conformance run`; do not edit.",
        "What is *probed* or *verified* has its evidence in the run that is named below.",
        "",
        *(f"* *{label}*: {meaning}" for label, meaning in LEGEND),
        "",
        "A label with `!` failed in that run: GroupX relies on it, and the program broke it.",
        "",
    ]
)


def _matrix_cell(report: RunReport, name: str) -> str:
    case = next((case for case in report.cases if case.case == name), None)
    if case is None:
        return ""
    label = _cell(case.label.replace("_", " "))
    if case.label in (Label.VERIFIED, Label.PROBED):
        return f"**{label}**"
    return f"{label} !" if case.status is Status.FAILED else label


def _sources(reports: Sequence[RunReport]) -> list[str]:
    return ["## The runs", "", *(line for report in reports for line in _source(report)), ""]


def _source(report: RunReport) -> list[str]:
    passed = sum(case.status is Status.PASSED for case in report.cases)
    note = f" {_cell(report.note)}." if report.note else ""
    how = f"profile {_cell(report.subject.profile)}; started as `{_started_as(report)}`.{note}"
    return [
        f"* **{_cell(head(report))}**: run `{report.run_id}` of {report.started_at}, "
        f"{passed} of {len(report.cases)} cases passed; {how}",
        *(
            f"  * {_cell(case.capability)}: {_MARKS[case.status]}. {_cell(case.detail)}"
            for case in report.cases
            if case.status in _TOLD
        ),
    ]


def _started_as(report: RunReport) -> str:
    argv = next((case.evidence.argv for case in report.cases if case.evidence), ())
    return _words(" ".join(argv), MAX_ARGV).replace("`", "'")


def _words(text: str, most: int = MAX_WORDS) -> str:
    """What others said, on one line and bounded."""
    return excerpt(" ".join(text.split()), most)


def _cell(text: str) -> str:
    """The same, so that no character of it is Markdown or HTML."""
    return _MARKUP.sub(r"\\\g<0>", _words(text)).replace("<", "&lt;")
