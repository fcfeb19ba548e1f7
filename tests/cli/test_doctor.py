"""`groupx doctor`, as it is typed."""

import json

import pytest
from click.testing import CliRunner

from groupx.capabilities import checkup
from groupx.capabilities.machine import machine_checks
from groupx.cli import doctor, doctor_room, group
from groupx.cli.doctor_room import room_checks
from groupx.cli.place import Place

pytestmark = pytest.mark.slow
DEMO = {"driver": "demo", "cwd": "."}
MISSING = {"command": "/nowhere/kimi", "cwd": "."}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("GROUPX_CONFIG", raising=False)
    monkeypatch.setattr(doctor, "_UNCONFIGURED", ())
    monkeypatch.setattr(checkup, "MCP_SECONDS", 0.0)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configure(folder, port=0, **agents):
    document = {"transport": "structured", "server": {"port": port}, "agents": agents}
    (folder / "groupx.json").write_text(json.dumps(document))


def run(*argv):
    return CliRunner().invoke(group, ["doctor", *argv], standalone_mode=False)


def test_one_agent_that_can_be_used_is_enough(folder):
    configure(folder, ada=DEMO, bob=DEMO, kimi=MISSING)
    result = run()
    assert result.return_value == 0, result.output
    said = " ".join(result.output.split())
    assert "ok ada, bob (driver demo):" in said, "two agents of one setting are looked at once"
    assert "FAIL kimi (driver kimi): /nowhere/kimi was not found. Install Kimi Code" in said
    assert "login: cannot be told" in said
    assert max(map(len, result.output.splitlines())) <= max(80, len(str(folder)) + 40)


def test_the_assistants_program_is_looked_at_and_is_no_agent(folder):
    def with_assistant(brain, **agents):
        configure(folder, **agents)
        document = json.loads((folder / "groupx.json").read_text())
        document["assistant"] = {"enabled": True, "name": "Ann", "brain": brain}
        (folder / "groupx.json").write_text(json.dumps(document))
        return run()

    result = with_assistant({**MISSING, "driver": "kimi"}, ada=DEMO)
    assert result.return_value == 0, result.output
    said = " ".join(result.output.split())
    assert "FAIL the assistant (driver kimi): /nowhere/kimi was not found." in said
    result = with_assistant(DEMO, kimi=MISSING)
    assert result.return_value == 1
    assert "ok the assistant (driver demo):" in " ".join(result.output.split())


def test_none_that_can_be_used_is_exit_1(folder):
    configure(folder, kimi=MISSING)
    result = run()
    assert result.return_value == 1
    assert "groupx run --demo" in result.output


def test_a_config_that_is_wrong_is_exit_1_whatever_is_installed(folder):
    (folder / "groupx.json").write_text('{"transport": "structured", "agents": {}, "nope": 1}')
    result = run("--driver", "demo")
    assert result.return_value == 1
    assert "nope" in result.output
    assert "Broken: config." in result.output


@pytest.mark.parametrize("rule", ["--config", "GROUPX_CONFIG"])
def test_a_config_that_is_named_and_not_there_is_exit_1(folder, monkeypatch, rule):
    argv = ("--config", "nope.json") if rule == "--config" else ()
    if not argv:
        monkeypatch.setenv("GROUPX_CONFIG", str(folder / "nope.json"))
    result = run("--driver", "demo", *argv)
    said = " ".join(result.output.split())
    assert result.return_value == 1
    assert "FAIL config: none at" in said
    assert f"which {rule} names" in said
    assert "Broken: config." in said


def test_a_mark_says_what_the_exit_code_says():
    found = {"driver": "codex", "agents": ("ada",), "found": True, "path": "/bin/codex"}
    marks = {
        "ok": checkup.Checkup(**found, starts=True),
        "warn": checkup.Checkup(**found, starts=True, problems=("It is too old.",)),
        "FAIL": checkup.Checkup(**found, problems=("It is too old.",)),
    }
    for mark, one in marks.items():
        (first, *_) = doctor._program(one)
        assert first.split()[0] == mark
        assert one.usable is (mark != "FAIL")


def test_without_a_config_any_program_counts(folder):
    assert run("--driver", "demo").return_value == 0
    assert run().return_value == 1


def test_as_json(folder):
    configure(folder, ada=DEMO, kimi=MISSING)
    document = json.loads(run("--json").output)
    assert (document["schema"], document["ok"]) == ("groupx.doctor/1", True)
    assert {check["name"] for check in document["checks"]} == {
        "Python",
        "SQLite",
        "config",
        "data folder",
        "port",
    }
    usable = {tuple(program["agents"]): program["usable"] for program in document["programs"]}
    assert usable == {("ada",): True, ("kimi",): False}


def test_only_what_is_named(folder):
    configure(folder, ada=DEMO, kimi=MISSING)
    document = json.loads(run("--json", "--driver", "kimi").output)
    assert [program["driver"] for program in document["programs"]] == ["kimi"]
    assert not document["ok"]


def check_of(folder, name):
    checks, _ = room_checks(Place(config_path=folder / "groupx.json", chosen_by="test"))
    return next(check for check in checks if check.name == name)


@pytest.mark.parametrize(("mode", "ok"), [(0o700, True), (0o755, False), (0o500, False)])
def test_the_data_folder_is_for_its_owner_alone(folder, mode, ok):
    configure(folder, ada=DEMO)
    assert check_of(folder, "data folder").ok, "it is made later"
    (folder / ".groupx").mkdir(mode=0o700)
    (folder / ".groupx").chmod(mode)
    check = check_of(folder, "data folder")
    assert check.ok is ok
    assert ok or "chmod 700" in check.detail


def test_a_file_in_the_place_of_the_data_folder(folder):
    configure(folder, ada=DEMO)
    (folder / ".groupx").write_text("")
    assert not check_of(folder, "data folder").ok


@pytest.mark.parametrize(
    ("holder", "silent", "ok", "words"),
    [
        ("free", False, True, "is free"),
        ("same", False, True, "this config's room"),
        ("other", False, False, "another config"),
        ("foreign", False, False, "not GroupX"),
        ("foreign", True, False, "does not answer"),
    ],
)
def test_who_holds_the_port(folder, monkeypatch, holder, silent, ok, words):
    configure(folder, port=4319, ada=DEMO)
    monkeypatch.setattr(doctor_room, "occupant", lambda port, key: (holder, {}))
    monkeypatch.setattr(doctor_room, "is_silent", lambda place, port: silent)
    check = check_of(folder, "port")
    assert (check.ok, "4319" in check.detail, words in check.detail) == (ok, True, True)


def test_this_machine_is_as_it_should_be():
    assert [check.name for check in machine_checks()] == ["Python", "SQLite"]
    assert all(check.ok for check in machine_checks())
