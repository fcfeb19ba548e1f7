"""A program's calls of the room's tools are proven by the ledger, or not claimed."""

import re
import secrets

import attrs
import pytest

from conformance.matrix import merge
from conformance.real_programs import PROGRAMS
from conformance.room_proofs import BEARER, PROOFS, NotProven, Seen, script
from conformance.room_report import Course, kept_section, now, report_of, section_of, with_section
from groupx.actors.callers import Caller, Callers
from groupx.capabilities.documents import write_report
from groupx.capabilities.evidence import EvidenceRefused
from groupx.capabilities.labels import Label
from groupx.capabilities.report import sealed
from groupx.capabilities.room_cases import ROOM_CASES

PROGRAM = PROGRAMS["grok"]
AGENT, HELPER = "agent:grok", "agent:helper"
COURSE = Course(program="grok", version="1.0", started_at=now(), milliseconds=5)


def event(event_id, actor, content=None, *, type="message.created", to=(), **more):  # noqa: A002
    session = {"actorId": actor, "instanceId": f"instance-of-{actor}"}
    body = {} if content is None else {"content": content}
    mcp = {"sourceKind": "mcp" if more.get("parentTurnId") == "turn-1" else "adapter"}
    common = {"seq": 1, "provenance": mcp, "actor": session, "to": list(to)}
    return {"eventId": event_id, "type": type, "body": body, **common, **more}


def said(event_id, words, *to):
    return event(event_id, AGENT, f"{words}-by-grok", to=to, parentTurnId="turn-1")


def reply(event_id, to, words):
    return event(event_id, HELPER, f"{words}\nand more", replyToEventId=to)


def queued(message):
    body = {"sourceEventId": message, "targetActorId": HELPER}
    return event(f"q-{message}", "system:groupx", type="turn.queued") | {"body": body}


def opened():
    ready = event("ready", AGENT, type="session.ready")
    return ready | {"body": {"instanceId": ready["actor"]["instanceId"]}}


EVENTS = {
    each["eventId"]: each
    for each in (
        opened(),
        said("m-sent", "sent", HELPER),
        queued("m-sent"),
        reply("r-sent", "m-sent", 'I received: "sent"'),
        said("m-asked", "asked", HELPER),
        queued("m-asked"),
        reply("r-asked", "m-asked", "I was asked"),
        said("m-published", "published"),
    )
}
RESULTS = (
    '{"messageEventId": "m-sent"}',
    r"Wall time: 1 s {\"messageEventId\": \"m-sent\", \"r-sent\": \"I received: \\\"sent\\\"",
    '{"messageEventId": "m-asked", "responseEventId": "r-asked", "content": "I was asked"}',
    '{"messageEventId": "m-published"}',
    '{"events": ["m-sent", "m-asked", "m-published"]}',
)


def seen(events=EVENTS, results=RESULTS, **more):
    given = {"command_lines": ["grok agent stdio"], "logs": "GroupX is ready", **more}
    asked = [{"results": list(results[:many])} for many in range(len(results) + 1)]
    return Seen(
        name="grok", turn_id="turn-1", events=list(events.values()), requests=asked, **given
    )


def changed(event_id, **more):
    return EVENTS | {event_id: EVENTS[event_id] | more}


def without(event_id):
    return {key: value for key, value in EVENTS.items() if key != event_id}


def heard(number, text):
    return (*RESULTS[:number], text, *RESULTS[number + 1 :])


SECRET = "ab" * 32
FOREIGN = {"actorId": "agent:bob", "instanceId": f"instance-of-{AGENT}"}
OLD = {"actorId": AGENT, "instanceId": "an-older-one"}
MISSING = {
    "send not called": ("room-send", seen(without("m-sent")), "0 times"),
    "send by another": ("room-send", seen(changed("m-sent", actor=FOREIGN)), "author"),
    "send of an ended session": ("room-send", seen(changed("m-sent", actor=OLD)), "session"),
    "send of another turn": (
        "room-send",
        seen(changed("m-sent", parentTurnId="turn-2")),
        "not of the turn",
    ),
    "send by the web": (
        "room-send",
        seen(changed("m-sent", provenance={"sourceKind": "web"})),
        "through a tool",
    ),
    "send to all": ("room-send", seen(changed("m-sent", to=["@all"])), "it went to"),
    "send that wakes nobody": ("room-send", seen(without("q-m-sent")), "no turn came"),
    "ask without an answer": ("room-ask", seen(without("r-asked")), "answered 0 times"),
    "ask whose answer is not heard": ("room-ask", seen(results=heard(2, "late")), "another"),
    "collect of another message": (
        "room-collect",
        seen(results=heard(1, RESULTS[2])),
        "of another message",
    ),
    "collect of nothing": (
        "room-collect",
        seen(results=heard(1, "m-sent pending")),
        "did not hear the helper's",
    ),
    "collect not called": ("room-collect", seen(results=RESULTS[:1]), "heard 1 answers"),
    "publish that wakes": ("room-publish", seen(EVENTS | {"q": queued("m-published")}), "woke"),
    "publish to somebody": ("room-publish", seen(changed("m-published", to=[HELPER])), "went to"),
    "read of too little": ("room-read", seen(results=heard(4, "m-sent m-asked")), "published"),
    "bearer in argv": ("room-bearer", seen(command_lines=[f"grok -H {SECRET}"]), "command line"),
    "bearer in a log": ("room-bearer", seen(logs=f"got {SECRET}"), "in a log"),
    "bearer told": ("room-bearer", seen(results=heard(0, SECRET + " m-sent")), "told"),
    "no process": ("room-bearer", seen(command_lines=[]), "no process"),
}


def test_every_case_has_its_proof_and_the_script_calls_every_tool():
    assert list(PROOFS) == [row.name for row in ROOM_CASES]
    tools = re.findall(r"groupx__(\w+)", script(PROGRAMS["kimi"]))
    assert tools == ["send", "collect", "ask", "publish", "read"]


@pytest.mark.parametrize("case", PROOFS)
def test_what_is_there_is_proven(case):
    assert PROOFS[case](seen())


@pytest.mark.parametrize(("case", "left", "why"), MISSING.values(), ids=MISSING.keys())
def test_what_is_not_there_is_not(case, left, why):
    with pytest.raises(NotProven, match=why):
        PROOFS[case](left)


def test_a_bearer_has_the_form_that_is_looked_for():
    caller = Caller(desk="member", binding_id="b", actor_id=AGENT, instance_id="i")
    with Callers("http://127.0.0.1:1", secrets.token_bytes).admitted(caller) as server:
        assert BEARER.search(f"--header 'Bearer {server.bearer}'")


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setenv("GROUPX_TEST_GROK", "/opt/somewhere/grok")
    return PROGRAM


def test_a_report_claims_what_is_proven_and_says_why_the_rest_is_not(program):
    report = report_of(program, seen(without("m-published")), COURSE)
    labels = {case.case: case.label for case in report.cases}
    missing = {"room-publish", "room-read"}
    assert {case.case for case in report.failed} == missing
    assert labels == {
        name: Label.NOT_OBSERVED if name in missing else Label.VERIFIED for name in PROOFS
    }
    assert "0 times" in next(case.detail for case in report.failed)
    assert b"/opt" not in write_report(report)


def test_a_claim_without_its_evidence_is_refused(program):
    report = report_of(program, seen(), COURSE)
    assert section_of([report]).count("**verified**") == len(PROOFS)
    first, *rest = report.cases
    bare = sealed(attrs.evolve(report, cases=(attrs.evolve(first, evidence=None), *rest)))
    with pytest.raises(EvidenceRefused, match="no evidence"):
        section_of([bare])


def test_a_section_takes_the_place_of_the_one_before(program):
    section = section_of([report_of(program, seen(), COURSE)])
    once = with_section("# What\n\nwords\n", section)
    again = with_section(once, section.replace("**verified**", "unsupported"))
    assert kept_section(once) == section
    assert again.startswith("# What\n\nwords\n\n<!--")
    assert "**verified**" not in again
    assert again.count("## The room's tools") == 1
    assert with_section("words\n", kept_section("words\n")) == "words\n"


@pytest.mark.slow
def test_a_matrix_made_anew_keeps_the_section(program, tmp_path):
    report = report_of(program, seen(), COURSE)
    section = section_of([report])
    output, file = tmp_path / "capabilities.md", tmp_path / "grok.json"
    output.write_text(with_section("# an older one\n", section))
    file.write_bytes(write_report(report))
    assert merge([file], output) == 0
    text = output.read_text()
    assert text.startswith("# What the programs can do")
    assert "an older one" not in text
    assert text.endswith(section)
