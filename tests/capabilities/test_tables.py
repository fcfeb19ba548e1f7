"""Reports as people read them."""

import attrs
import pytest

from groupx.capabilities.labels import Label, Status
from groupx.capabilities.report import CaseReport
from groupx.capabilities.tables import WIDTH, markdown_report, matrix, plain_table
from tests.capabilities.test_evidence import EVIDENCE, PASSED, REPORT

WORDS = (
    "It asked for a permission although it is in its most open mode, | and then some more words."
)
FAILED = CaseReport(
    case="tool",
    capability="Reports a tool",
    needs_model=True,
    status=Status.FAILED,
    label=Label.NOT_OBSERVED,
    detail=WORDS,
)
SKIPPED = attrs.evolve(
    FAILED, case="cancel", status=Status.SKIPPED, label=Label.ADVERTISED, detail="needs more"
)
MIXED = attrs.evolve(REPORT, cases=(PASSED, FAILED, SKIPPED), note="a mock model answered")


def test_a_table_fits_a_terminal_and_gives_the_reasons():
    text = plain_table(MIXED)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "".join(WORDS.split()) in "".join(text.split())
    assert "1 passed, 1 FAILED, 0 not observed, 0 unsupported, 1 not run" in text
    assert text.count("needs more") == 1


def test_a_document_names_the_run_and_the_proof():
    text = markdown_report(MIXED)
    for word in ("r1", EVIDENCE.sha256[:16], "…/grok", "a mock model answered", "verified"):
        assert word in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {6}


def other(report):
    subject = attrs.evolve(report.subject, program="kimi", driver="kimi")
    cases = tuple(
        attrs.evolve(case, evidence=case.evidence and attrs.evolve(case.evidence, subject=subject))
        for case in report.cases
        if case.case != "cancel"
    )
    return attrs.evolve(report, subject=subject, cases=cases)


def test_a_matrix_has_a_column_for_each_program_and_a_row_for_each_capability():
    text = matrix([MIXED, other(MIXED)])
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table == [
        "| capability | grok 1.0 | kimi 1.0 |",
        "|---|---|---|",
        "| Answers | **verified** | **verified** |",
        "| Reports a tool | not observed ! | not observed ! |",
        "| Reports a tool | advertised |  |",
    ]
    assert text.count("run `r1`") == 2


@pytest.mark.parametrize("name", ["a|b", "a\nb"])
def test_a_name_breaks_no_table(name):
    subject = attrs.evolve(REPORT.subject, program=name)
    case = attrs.evolve(PASSED, evidence=attrs.evolve(EVIDENCE, subject=subject))
    text = matrix([attrs.evolve(REPORT, subject=subject, cases=(case,))])
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in table} == {3}
