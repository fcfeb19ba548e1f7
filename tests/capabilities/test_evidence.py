"""Nothing is claimed that the evidence of the same run does not prove."""

import json

import attrs
import pytest

from groupx.capabilities.documents import MAX_BYTES, read_report, write_report
from groupx.capabilities.evidence import Evidence, EvidenceRefused, Subject, digest
from groupx.capabilities.labels import PROVEN, Label, Status, label_of
from groupx.capabilities.report import CaseReport, RunReport, check, sealed
from groupx.capabilities.tables import matrix

LINES = ("session new", "passed")
DETAIL = "It was lost."
SUBJECT = Subject(driver="grok", program="grok", version="1.0", profile="driver's own mode")
EVIDENCE = Evidence(
    run_id="r1",
    case="text",
    at="2026-01-01T00:00:05.000Z",
    subject=SUBJECT,
    argv=("…/grok",),
    observation=LINES,
)
PASSED = CaseReport(
    case="text",
    capability="Answers a prompt with text",
    needs_model=True,
    status=Status.PASSED,
    label=Label.VERIFIED,
    evidence=EVIDENCE,
)
MADE = RunReport(
    run_id="r1",
    started_at="2026-01-01T00:00:00.000Z",
    ended_at="2026-01-01T00:01:00.000Z",
    groupx_version="1",
    system="Linux",
    subject=SUBJECT,
    model_turns=True,
    cases=(PASSED,),
)
REPORT = sealed(MADE)


def with_evidence(**fields):
    evidence = attrs.evolve(EVIDENCE, **fields)
    return attrs.evolve(REPORT, cases=(attrs.evolve(PASSED, evidence=evidence),))


def of_another(**fields):
    return with_evidence(subject=attrs.evolve(SUBJECT, **fields))


def with_case(**fields):
    return attrs.evolve(REPORT, cases=(attrs.evolve(PASSED, **fields),))


REFUSED = {
    "no evidence": (with_case(evidence=None), "no evidence"),
    "failed without evidence": (
        with_case(status=Status.FAILED, label=Label.NOT_OBSERVED, evidence=None),
        "no evidence",
    ),
    "no case": (attrs.evolve(REPORT, cases=()), "no case"),
    "an unknown case": (with_case(case="dances"), "no such case"),
    "a capability of another name": (with_case(capability="Dances"), "another capability"),
    "a probe that needs a model": (with_case(case="handshake"), "another capability"),
    "another run": (with_evidence(run_id="r2"), "another run"),
    "another case": (with_evidence(case="usage"), "another case"),
    "another driver": (of_another(driver="kimi"), "another driver"),
    "another program": (of_another(program="kimi"), "another program"),
    "another version": (of_another(version="1.1"), "another version"),
    "another profile": (of_another(profile="plan"), "another profile"),
    "no version": (
        attrs.evolve(of_another(version=None), subject=attrs.evolve(SUBJECT, version=None)),
        "no version",
    ),
    "empty": (with_evidence(observation=()), "empty"),
    "no argv": (with_evidence(argv=()), "empty"),
    "another end": (with_evidence(observation=("session new", "failed")), "last line"),
    "another detail": (with_case(detail="in no time"), "last line"),
    "a label of its own": (
        with_case(status=Status.NOT_OBSERVED, label=Label.UNSUPPORTED),
        "status",
    ),
    "another status than it saw": (
        with_case(status=Status.UNSUPPORTED, label=Label.UNSUPPORTED),
        "last line",
    ),
    "before the run": (with_evidence(at="2025-12-31T23:59:59.000Z"), "another time"),
    "after the run": (with_evidence(at="2026-01-01T00:02:00.000Z"), "another time"),
    "no time": (with_evidence(at="once"), "another time"),
    "failed and proven": (with_case(status=Status.FAILED), "status"),
    "skipped and proven": (with_case(status=Status.SKIPPED), "status"),
    "passed and not proven": (with_case(label=Label.DOCUMENTED), "status"),
    "probed by a turn": (with_case(label=Label.PROBED), "status"),
    "verified without turns": (attrs.evolve(REPORT, model_turns=False), "no turn"),
    "twice": (attrs.evolve(REPORT, cases=(PASSED, PASSED)), "twice"),
    "failed, of another program": (
        attrs.evolve(
            REPORT,
            cases=(
                attrs.evolve(
                    PASSED,
                    status=Status.FAILED,
                    label=Label.NOT_OBSERVED,
                    evidence=attrs.evolve(EVIDENCE, run_id="r9"),
                ),
            ),
        ),
        "another run",
    ),
}


def test_what_is_proven_is_taken():
    check(REPORT)
    assert read_report(write_report(REPORT)) == REPORT


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_proven_is_refused_everywhere(name):
    report, words = sealed(REFUSED[name][0]), REFUSED[name][1]
    for use in (check, write_report, lambda report: matrix([report])):
        with pytest.raises(EvidenceRefused, match=words):
            use(report)


def forged(**fields):
    document = json.loads(write_report(REPORT))
    document["cases"][0]["evidence"] |= fields
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sha256": "0" * 64}, "SHA-256"),
        ({"runId": "r2"}, "another run"),
        ({"observation": ["something else", "passed"]}, "SHA-256"),
        ({"argv": ["…/kimi"]}, "SHA-256"),
        ({"at": "2026-01-01T00:00:06.000Z"}, "SHA-256"),
    ],
)
def test_a_forged_file_is_refused(fields, words):
    with pytest.raises(EvidenceRefused, match=words):
        read_report(forged(**fields))


def test_one_program_for_another_in_the_whole_file_is_refused():
    data = write_report(REPORT).replace(b'"driver": "grok"', b'"driver": "codex"')
    assert data.count(b"codex") == 2
    with pytest.raises(EvidenceRefused, match="SHA-256"):
        read_report(data)


def test_a_failed_case_is_not_made_a_passed_one():
    fields = {"status": Status.FAILED, "label": Label.NOT_OBSERVED, "detail": DETAIL}
    seen = attrs.evolve(EVIDENCE, observation=("session new", f"failed {DETAIL}"))
    failed = sealed(with_case(**fields, evidence=seen))
    assert read_report(write_report(failed)) == failed
    for change in ({}, {"detail": ""}):
        document = json.loads(write_report(failed))
        document["cases"][0] |= {"status": "passed", "label": "verified", **change}
        with pytest.raises(EvidenceRefused, match="last line"):
            read_report(json.dumps(document).encode())


def test_a_case_that_is_left_out_is_missed():
    second = attrs.evolve(
        PASSED,
        case="usage",
        capability="Reports usage",
        evidence=attrs.evolve(EVIDENCE, case="usage"),
    )
    document = json.loads(write_report(sealed(attrs.evolve(MADE, cases=(PASSED, second)))))
    del document["cases"][1]
    with pytest.raises(EvidenceRefused, match="SHA-256"):
        read_report(json.dumps(document).encode())


def changed(change):
    document = json.loads(write_report(REPORT))
    change(document)
    return json.dumps(document).encode()


NO_REPORTS = {
    "no JSON": b"hello",
    "no object": b"[]",
    "nothing": b"",
    "no UTF-8": b"\xff\xfe",
    "deep": b"[" * 100_000,
    "large": b" " * (MAX_BYTES + 1),
    "another schema": changed(lambda d: d.update(schema="groupx.conformance/1")),
    "a key that stands twice": write_report(REPORT).replace(
        b'"note": ""', b'"note": "", "note": ""'
    ),
    "a field too many": changed(lambda d: d.update(extra=1)),
    "a field less": changed(lambda d: d.pop("runId")),
    "no label": changed(lambda d: d["cases"][0].update(label="certain")),
    "a number for a text": changed(lambda d: d["subject"].update(program=7)),
    "a text for a list": changed(lambda d: d.update(cases="all")),
    "a text for lines": changed(lambda d: d["cases"][0]["evidence"].update(observation="lines")),
}


@pytest.mark.parametrize("name", NO_REPORTS)
def test_what_is_no_report_is_refused(name):
    with pytest.raises(EvidenceRefused):
        read_report(NO_REPORTS[name])


def test_one_program_stands_once_in_a_matrix():
    with pytest.raises(EvidenceRefused, match="same program"):
        matrix([REPORT, REPORT])


def test_every_status_has_its_label():
    table = {
        (status, needs_model): label_of(status, needs_model=needs_model, claimed=Label.ADVERTISED)
        for status in Status
        for needs_model in (False, True)
    }
    assert table == {
        (Status.PASSED, False): Label.PROBED,
        (Status.PASSED, True): Label.VERIFIED,
        (Status.FAILED, False): Label.NOT_OBSERVED,
        (Status.FAILED, True): Label.NOT_OBSERVED,
        (Status.NOT_OBSERVED, False): Label.NOT_OBSERVED,
        (Status.NOT_OBSERVED, True): Label.NOT_OBSERVED,
        (Status.UNSUPPORTED, False): Label.UNSUPPORTED,
        (Status.UNSUPPORTED, True): Label.UNSUPPORTED,
        (Status.SKIPPED, False): Label.ADVERTISED,
        (Status.SKIPPED, True): Label.ADVERTISED,
    }
    assert {Label.PROBED, Label.VERIFIED} == PROVEN


def test_a_digest_tells_records_apart():
    assert digest(("ab", "c")) != digest(("a", "bc"))
    assert digest(SUBJECT) != digest(attrs.evolve(SUBJECT, version=None))
    assert digest(()) == "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
