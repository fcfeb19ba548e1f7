"""A run over a program on paper: what each deviation does to its label."""

from pathlib import Path

import pytest
import trio

from groupx.adapters.contract import (
    AdapterStartError,
    Exited,
    Failed,
    Interaction,
    SessionProfile,
)
from groupx.adapters.registry import adapter_for
from groupx.capabilities import mcp_cases, turn_cases
from groupx.capabilities.cases import CASES, HANDSHAKE
from groupx.capabilities.labels import Label, Status
from groupx.capabilities.report import check
from groupx.capabilities.running import MAX_NAME, run
from groupx.capabilities.tables import matrix, plain_table
from groupx.domain.errors import ErrorCode
from groupx.process.spawner import Spawner
from tests.capabilities.conftest import Paper

NEEDS_PROCESSES = {"close", "killed"}
"""The program on paper has none."""
NEEDS_HTTP = {"mcp-connects", "mcp-secret", "mcp-dead", "mcp-tool"}
"""The program on paper connects to nothing."""
QUICK = tuple(case for case in CASES if case.name not in NEEDS_PROCESSES | NEEDS_HTTP)
PROBES = tuple(case for case in QUICK if not case.needs_model)


@pytest.fixture(autouse=True)
def processes(monkeypatch):
    """The command lines that are seen of its processes."""
    lines = ["/opt/paper/bin/paper --speak"]

    async def command_lines(stage):
        await trio.lowlevel.checkpoint()
        return lines

    monkeypatch.setattr(mcp_cases, "command_lines", command_lines)
    monkeypatch.setattr(mcp_cases, "CONNECT_SECONDS", 0.0)
    return lines


def only(*names):
    return (HANDSHAKE, *(case for case in CASES if case.name in names))


async def outcome(plan, paper, name):
    report = await run(plan(paper, cases=only(name), model_turns=True), Spawner())
    return report.cases[-1]


async def test_a_faultless_program_proves_what_was_used(plan):
    report = await run(plan(Paper(), cases=QUICK, model_turns=True), Spawner())
    assert [case.status for case in report.cases] == [Status.PASSED] * len(QUICK)
    labels = {case.case: case.label for case in report.cases}
    assert labels == {
        case.name: Label.VERIFIED if case.needs_model else Label.PROBED for case in QUICK
    }
    assert (report.subject.program, report.subject.version) == ("paper", "1.2.3")
    check(report)


async def test_without_model_turns_no_prompt_is_sent_and_claims_stay_claims(plan):
    paper = Paper(end=Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="it was prompted"))
    report = await run(plan(paper, cases=QUICK), Spawner())
    assert not report.failed
    by_name = {case.case: case for case in report.cases}
    assert by_name["resume"].label is Label.ADVERTISED
    assert by_name["streaming"].label is Label.DOCUMENTED
    assert by_name["after-cancel"].label is Label.NOT_OBSERVED
    skipped = {case.case for case in report.cases if case.status is Status.SKIPPED}
    assert skipped == {case.name for case in QUICK if case.needs_model}
    assert all(by_name[name].evidence is None for name in skipped)


DEVIATIONS = [
    ("mode", {"mode": "not_observed"}, Status.NOT_OBSERVED, "mode"),
    ("mode", {"mode": "advertised"}, Status.NOT_OBSERVED, "did not say"),
    ("resume-unknown", {"adopts_unknown": True}, Status.FAILED, "never was"),
    ("resume-unknown", {"unknown_error": ErrorCode.ADAPTER_START_FAILED}, Status.FAILED, "know"),
    ("mcp-secret", {"leaks": True}, Status.FAILED, "command line"),
    ("mcp-secret", {"mcp": False}, Status.UNSUPPORTED, "no MCP"),
    ("mcp-secret", {"injects": False}, Status.NOT_OBSERVED, "without"),
    ("mcp-secret", {}, Status.NOT_OBSERVED, "did not come"),
    ("mcp-dead", {"mcp": False}, Status.UNSUPPORTED, "no MCP"),
    ("mcp-dead", {"injects": False}, Status.NOT_OBSERVED, "without"),
    ("mcp-dead", {}, Status.NOT_OBSERVED, "did not come"),
    ("text", {"pieces": ()}, Status.FAILED, "without a word"),
    ("text", {"pieces": ("no",)}, Status.NOT_OBSERVED, "something else"),
    ("streaming", {"pieces": ("ready",)}, Status.NOT_OBSERVED, "one piece"),
    ("reasoning", {"thinks": False}, Status.NOT_OBSERVED, "none"),
    ("tool", {"tool_phases": ()}, Status.NOT_OBSERVED, "no tool"),
    ("tool", {"tool_phases": ("started",)}, Status.FAILED, "never ended"),
    ("tool", {"runs": False}, Status.NOT_OBSERVED, "no trace"),
    ("tool", {"end": Interaction(kind="permission", reason="rm")}, Status.FAILED, "permission"),
    ("mode-again", {"mode_resumed": "not_observed"}, Status.FAILED, "not set"),
    ("mode-again", {"tool_phases": ()}, Status.NOT_OBSERVED, "no tool"),
    ("mode-again", {"runs": False}, Status.NOT_OBSERVED, "no trace"),
    ("mode-again", {"forgets": True}, Status.UNSUPPORTED, "new session"),
    ("resume", {"forgets": True}, Status.UNSUPPORTED, "new session"),
    ("resume", {"remembers": False}, Status.NOT_OBSERVED, "did not say the word"),
    ("usage", {"tells_usage": False}, Status.NOT_OBSERVED, "none"),
    ("killed", {"immortal": True}, Status.FAILED, "break off"),
    ("killed", {"deaf_seconds": 0}, Status.NOT_OBSERVED, "over before"),
    ("killed", {"end": Exited(returncode=3)}, Status.FAILED, "by itself"),
    ("killed", {"end": Exited(returncode=-9)}, Status.FAILED, "by itself"),
    ("killed", {"killed_code": 3}, Status.FAILED, "by itself"),
    ("after-cancel", {"usable_after_cancel": False}, Status.UNSUPPORTED, "another session"),
    (
        "usage",
        {"end": Failed(code=ErrorCode.NATIVE_LOGIN_REQUIRED, message="Not logged in.")},
        Status.FAILED,
        "Not logged in.",
    ),
]


@pytest.mark.parametrize(("name", "fields", "status", "words"), DEVIATIONS)
async def test_a_deviation_is_told(plan, name, fields, status, words):
    case = await outcome(plan, Paper(**fields), name)
    assert (case.case, case.status) == (name, status)
    assert words in case.detail
    wanted = Label.UNSUPPORTED if status is Status.UNSUPPORTED else Label.NOT_OBSERVED
    assert case.label is wanted


@pytest.mark.parametrize(
    ("name", "seconds", "status", "words"),
    [
        ("cancel", 6, Status.FAILED, "lost"),
        ("cancel", 4, Status.NOT_OBSERVED, "over before"),
        ("after-cancel", 4, Status.NOT_OBSERVED, "over before"),
        ("killed", 6, Status.FAILED, "break off"),
        ("killed", 4, Status.NOT_OBSERVED, "over before"),
    ],
)
async def test_a_cancel_that_is_not_heard_and_one_that_comes_too_late(
    plan, autojump_clock, monkeypatch, name, seconds, status, words
):
    async def tree(stage):
        await trio.lowlevel.checkpoint()
        return {7}

    monkeypatch.setattr(turn_cases, "tree_of_run", tree)
    case = await outcome(plan, Paper(deaf_seconds=seconds), name)
    assert (case.status, words in case.detail) == (status, True)


async def test_what_asks_for_leave_only_after_a_resume_is_found(plan):
    paper = Paper(end_resumed=Interaction(kind="permission", reason="rm"))
    case = await outcome(plan, paper, "mode-again")
    assert (case.status, "permission" in case.detail) == (Status.FAILED, True)


async def test_what_has_no_process_that_is_seen_proves_nothing_of_its_command_line(plan, processes):
    processes.clear()
    case = await outcome(plan, Paper(), "mcp-secret")
    assert case.status is Status.NOT_OBSERVED


async def test_a_secret_that_a_child_of_it_was_given_is_found(plan, processes):
    class Telling(Paper):
        def session(self, profile, name, resumed):
            if profile.mcp:
                processes.append(f"helper --bearer {profile.mcp.bearer}")
            return super().session(profile, name, resumed)

    case = await outcome(plan, Telling(), "mcp-secret")
    assert (case.status, "command line" in case.detail) == (Status.FAILED, True)


async def test_an_unknown_session_may_be_refused(plan):
    paper = Paper(unknown_error=ErrorCode.NATIVE_RESUME_UNSUPPORTED)
    case = await outcome(plan, paper, "resume-unknown")
    assert case.status is Status.PASSED
    assert any("refused" in line for line in case.evidence.observation)


async def test_what_cannot_start_fails_once_and_nothing_else_is_tried(plan):
    paper = Paper(start_error=AdapterStartError(ErrorCode.ADAPTER_START_FAILED, "Install it."))
    report = await run(plan(paper, cases=QUICK, model_turns=True), Spawner())
    assert [case.case for case in report.failed] == ["handshake"]
    assert "Install it." in report.failed[0].detail
    assert paper.starts == 1


async def test_a_case_ends_with_its_time(plan, autojump_clock):
    case = await outcome(plan, Paper(silent=True), "usage")
    assert case.status is Status.FAILED
    assert "120 s" in case.detail


async def test_a_run_ends_with_its_time(plan, autojump_clock):
    began = trio.current_time()
    names = ("usage", "text", "cancel")
    made = plan(Paper(silent=True), cases=only(*names), model_turns=True, seconds=50)
    report = await run(made, Spawner())
    assert trio.current_time() - began < 60
    assert [case.status for case in report.cases[1:]] == [Status.SKIPPED] * 3
    assert (report.cut_short, report.failed) == (True, ())


async def test_without_a_version_nothing_counts_until_it_is_given(plan):
    report = await run(plan(Paper(version=None), cases=PROBES), Spawner())
    assert [case.case for case in report.failed] == ["handshake"]
    assert "--program-version" in report.failed[0].detail
    report = await run(plan(Paper(version=None), cases=PROBES, version="9"), Spawner())
    assert (report.failed, report.subject.version) == ((), "9")


async def test_a_program_of_another_version_at_each_start_is_reported_and_proves_nothing(plan):
    class Varying(Paper):
        def session(self, profile, name, resumed):
            self.version = f"1.{self.starts}"
            return super().session(profile, name, resumed)

    report = await run(plan(Varying(), cases=only("new-session", "resume-unknown")), Spawner())
    assert [case.status for case in report.cases] == [
        Status.PASSED,
        Status.FAILED,
        Status.FAILED,
    ]
    assert "paper 1.3" in report.cases[1].detail
    assert "paper 1.1" in report.cases[1].detail
    assert "one program" in plain_table(report)
    assert "**paper 1.1, driver acp**" in matrix([report])


async def test_a_long_name_and_version_are_cut(plan):
    report = await run(plan(Paper(version="1\n" * 5000), cases=(HANDSHAKE,)), Spawner())
    assert report.subject.version == ("1 " * 5000)[: MAX_NAME - 1] + "…"


async def test_what_the_command_leaves_is_taken_away(plan, tmp_path):
    case = await outcome(plan, Paper(), "tool")
    assert case.status is Status.PASSED
    assert list(tmp_path.iterdir()) == []


async def test_a_long_transcript_keeps_its_verdict(plan):
    case = await outcome(plan, Paper(pieces=("ready",) * 100), "text")
    assert case.evidence.observation[-1] == "passed"
    assert "more" in case.evidence.observation[-2]


async def test_evidence_is_without_folders_secrets_and_session_ids(plan, tmp_path):
    report = await run(plan(Paper(), cases=QUICK, model_turns=True), Spawner())
    for case in report.cases:
        assert case.evidence.argv == ("…/paper", "--speak")
        assert str(tmp_path) not in str(case.evidence)


async def test_each_session_has_an_empty_folder_of_its_own_that_is_gone_afterwards(plan):
    seen = []

    def look(profile):
        seen.append(profile.run_dir)

    await run(plan(Paper(on_start=look), cases=PROBES), Spawner())
    assert len(set(seen)) == len(seen) > 3
    assert not any(Path(folder).exists() for folder in seen)


@pytest.mark.slow
async def test_the_demo_agent_is_cancelled_and_answers_again(plan, tmp_path):
    spawner = Spawner()
    await spawner.start()
    profile = SessionProfile(
        agent_id="a",
        command=(),
        cwd=str(tmp_path),
        env={"DEMO_AGENT_PACE": "0.002"},
        run_dir=str(tmp_path),
    )
    cases = only("close", "after-cancel", "killed")
    made = plan(adapter_for("demo"), profile=profile, cases=cases, model_turns=True)
    report = await run(made, spawner)
    await spawner.aclose()
    assert [case.label for case in report.cases] == [Label.PROBED] * 2 + [Label.VERIFIED] * 2
    assert "cancel" in str(report.cases[2].evidence.observation)
