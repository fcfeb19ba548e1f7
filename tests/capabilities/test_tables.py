"""Reports as people read them."""

import re

import attrs
import pytest

from groupx.capabilities.labels import Label, Status
from groupx.capabilities.report import CaseReport, sealed
from groupx.capabilities.tables import WIDTH, markdown_report, matrix, plain_table
from tests.capabilities.test_evidence import EVIDENCE, PASSED, REPORT, SUBJECT

WORDS = (
    "It asked for a permission although it is in its most open mode, | and then some more words."
)
FAILED = CaseReport(
    case="tool",
    capability="Uses a tool, and asks for no leave",
    needs_model=True,
    status=Status.FAILED,
    label=Label.NOT_OBSERVED,
    detail=WORDS,
    evidence=attrs.evolve(EVIDENCE, case="tool", observation=(f"failed {WORDS}",)),
)
SKIPPED = CaseReport(
    case="cancel",
    capability="A cancel stops the answer",
    needs_model=True,
    status=Status.SKIPPED,
    label=Label.ADVERTISED,
    detail="needs more",
)
MIXED = sealed(attrs.evolve(REPORT, cases=(PASSED, FAILED, SKIPPED), note="a mock model answered"))


def test_a_table_fits_a_terminal_and_gives_the_reasons():
    text = plain_table(MIXED)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "".join(WORDS.split()) in "".join(text.split())
    assert "1 passed, 1 FAILED, 0 not observed, 0 unsupported, 1 not run" in text
    assert text.count("needs more") == 1


def test_a_document_names_the_run_and_the_proof():
    text = markdown_report(MIXED)
    proof = MIXED.cases[0].evidence
    for word in ("r1", proof.sha256[:16], "…/grok", "a mock model answered", "verified"):
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
    return sealed(attrs.evolve(report, subject=subject, cases=cases))


def test_a_matrix_has_a_column_for_each_program_and_a_row_for_each_capability():
    text = matrix([MIXED, other(MIXED)])
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table == [
        "| capability | grok 1.0 | kimi 1.0 |",
        "|---|---|---|",
        "| Answers a prompt with text | **verified** | **verified** |",
        "| Uses a tool, and asks for no leave | not observed ! | not observed ! |",
        "| A cancel stops the answer | advertised |  |",
    ]
    assert text.count("run `r1`") == 2


ODD = ["a|b", "a\nb", "a\n# b", "<b>a", "a`b", "[a](http://b)", "*a*", "x" * 5000, "a\u2028b"]


@pytest.mark.parametrize("words", ODD, ids=lambda words: repr(words[:9]))
def test_words_of_others_break_no_document(words):
    """A program's name and version, a note, a profile, an argument, a detail."""
    subject = attrs.evolve(SUBJECT, program=words, version=words, profile=words)
    proof = attrs.evolve(EVIDENCE, subject=subject, argv=(words,))
    passed = attrs.evolve(PASSED, evidence=proof)
    failed = attrs.evolve(
        FAILED,
        detail=words,
        evidence=attrs.evolve(proof, case="tool", observation=(f"failed {words}",)),
    )
    report = sealed(attrs.evolve(REPORT, subject=subject, note=words, cases=(passed, failed)))
    plain = sealed(attrs.evolve(MIXED, cases=(PASSED, MIXED.cases[1])))
    for document, columns in ((markdown_report, 5), (lambda one: matrix([one]), 2)):
        text = document(report)
        assert len(text.splitlines()) == len(document(plain).splitlines())
        assert max(map(len, text.splitlines())) < 3000
        table = [line for line in text.splitlines() if line.startswith("|")]
        assert {line.replace("\\|", "").count("|") for line in table} == {columns + 1}
        prose = re.sub(r"`[^`]*`", "", re.sub(r"\\.", "", text))
        for markup in ("<b>", "](http", " *a*", "# b"):
            assert markup not in prose


def test_a_version_that_was_not_told_is_told_so():
    subject = attrs.evolve(SUBJECT, version=None)
    failed = attrs.evolve(FAILED, evidence=attrs.evolve(FAILED.evidence, subject=subject))
    text = matrix([sealed(attrs.evolve(REPORT, subject=subject, cases=(failed,)))])
    assert "| capability | grok (version not told) |" in text
    assert "None" not in text
