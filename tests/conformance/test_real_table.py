"""The tables of the real programs: complete, and of the one form that the mock model reads."""

import json
import re
import shlex

import attrs
import pytest

from conformance.install_real import ORDINARY, SOURCES, main
from conformance.matrix import arguments_of
from conformance.mock.plan import Plan
from conformance.notes import NOTES, notes_on
from conformance.real_programs import PROGRAMS
from groupx.adapters.registry import ADAPTERS
from groupx.capabilities.cases import CASES
from groupx.capabilities.evidence import Subject
from groupx.capabilities.labels import Label, Status
from groupx.capabilities.report import CaseReport, RunReport

each = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())


def test_every_program_can_be_fetched_and_two_protocols_ordinarily_are():
    assert SOURCES.keys() == PROGRAMS.keys()
    assert len({PROGRAMS[name].driver for name in ORDINARY}) == len(ORDINARY) == 2


def test_an_unknown_program_is_not_fetched(capsys):
    assert main(["kimi", "nobody"]) == 2
    assert "unknown: nobody" in capsys.readouterr().out


@each
def test_its_driver_is_known_and_only_acp_has_arguments(program):
    assert program.driver in ADAPTERS
    assert program.driver == "acp" or not (program.args or program.mode)


@each
@pytest.mark.parametrize("act", ["shell", "room"])
def test_what_makes_it_act_is_a_call_with_json(program, act):
    commands = program.shell.format(command="echo a")
    words = commands if act == "shell" else program.uses("post", text="a")
    tool = re.search(r"CALL:(\S+)", words)[1]
    name, arguments = Plan(words, ["other", f"x{tool}y"], []).call
    assert name == f"x{tool}y"
    assert "a" in json.dumps(json.loads(arguments))


@each
def test_its_settings_are_all_in_its_home(program, tmp_path):
    environment = program.environment(tmp_path / "home", "http://127.0.0.1:1")
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]
    assert environment["HOME"] == str(tmp_path / "home")
    files = [file.read_text() for file in (tmp_path / "home").rglob("*") if file.is_file()]
    assert "http://127.0.0.1:1" in "".join([*files, *environment.values()])


@each
def test_its_run_for_the_matrix_names_no_folder(program, tmp_path):
    arguments = arguments_of(program, tmp_path / "report.json")
    assert arguments[arguments.index("--command") + 1] == program.name
    assert "--model-turns" in arguments


def test_an_argument_with_a_blank_stays_one(tmp_path):
    program = attrs.evolve(PROGRAMS["opencode"], args=("--title", "two words"))
    arguments = arguments_of(program, tmp_path / "report.json")
    given = arguments[arguments.index("--args") + 1]
    assert tuple(shlex.split(given)) == program.args


def report(program, **statuses):
    cases = [
        CaseReport(
            case=case.name,
            capability=case.capability,
            needs_model=case.needs_model,
            status=Status(statuses.get(case.name.replace("-", "_"), "passed")),
            label=Label.NOT_OBSERVED,
        )
        for case in CASES
    ]
    subject = Subject(driver="acp", program=program, version="1", profile="")
    return RunReport(
        run_id="r",
        started_at="",
        ended_at="",
        groupx_version="1",
        system="",
        subject=subject,
        model_turns=True,
        cases=tuple(cases),
    )


def test_notes_tell_of_open_cells_and_only_of_them():
    assert notes_on([report("grok"), report("nobody")]) == ("", [])
    text, unexplained = notes_on([report("grok", mode="not_observed", usage="failed")])
    assert text.count("\n* **grok**") == 1
    assert unexplained == ["grok: usage"]


def test_notes_are_of_cases_that_there_are():
    named = {case for notes in NOTES.values() for cases in notes for case in cases}
    assert named <= {case.name for case in CASES}
