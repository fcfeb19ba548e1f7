"""`groupx conformance`, as it is typed."""

import json
import os

import pytest
from click.testing import CliRunner

from groupx.capabilities.documents import write_report
from groupx.cli import group
from tests.capabilities.test_evidence import REPORT


def run(*argv):
    return CliRunner().invoke(group, ["conformance", *map(str, argv)], standalone_mode=False)


WRONG = [
    ["run"],
    ["run", "--driver", "nope"],
    ["run", "--driver", "acp"],
    ["run", "--driver", "acp", "--command", ""],
    ["run", "--driver", "demo", "--directive", "tool=CALL:bash"],
    ["run", "--driver", "demo", "--nope"],
    ["run", "--driver", "demo", "--env", "NAME"],
    ["run", "--driver", "demo", "--command", "'open"],
    ["run", "--driver", "demo", "--timeout", "0"],
    ["run", "--driver", "demo", "--json", "/nowhere/at/all.json"],
    ["run", "--driver", "demo", "--case", "nope"],
    ["matrix"],
    ["matrix", "/nowhere/report.json"],
    ["nope"],
]


@pytest.mark.parametrize("argv", WRONG, ids=" ".join)
def test_wrong_use_is_exit_2(argv):
    result = run(*argv)
    assert result.return_value == 2
    assert "Usage" in result.output


@pytest.mark.slow
def test_a_program_that_is_not_there_fails_its_handshake_and_says_what_to_install(tmp_path):
    file = tmp_path / "run.json"
    result = run("run", "--driver", "kimi", "--command", "/nowhere/kimi", "--json", file)
    assert result.return_value == 1
    assert "@moonshot-ai/kimi-code" in " ".join(result.output.split())
    document = json.loads(file.read_bytes())
    assert document["cases"][0]["status"] == "failed"
    assert {case["status"] for case in document["cases"][1:]} == {"skipped"}


@pytest.mark.slow
def test_the_demo_is_probed(tmp_path):
    file, document, table = (tmp_path / name for name in ("run.json", "run.md", "matrix.md"))
    files = ("--json", file, "--markdown", document)
    result = run("run", "--driver", "demo", "--case", "close", "--case", "text", *files)
    assert result.return_value == 0, result.output
    labels = {case["case"]: case["label"] for case in json.loads(file.read_bytes())["cases"]}
    assert labels == {"handshake": "probed", "close": "probed", "text": "documented"}
    assert "groupx-demo-agent" in document.read_text()
    assert run("matrix", file, "--output", table).return_value == 0
    assert "| Closing leaves no process | **probed** |" in table.read_text()


@pytest.mark.slow
@pytest.mark.skipif(
    "GROUPX_TEST_CONFORMANCE" not in os.environ,
    reason="half a minute of turns of the demo agent: set GROUPX_TEST_CONFORMANCE=1",
)
def test_the_demo_proves_all_it_can(tmp_path):
    file, pace = tmp_path / "run.json", "DEMO_AGENT_PACE=0.002"
    result = run("run", "--driver", "demo", "--model-turns", "--env", pace, "--json", file)
    assert result.return_value == 0, result.output
    labels = {case["case"]: case["label"] for case in json.loads(file.read_bytes())["cases"]}
    proven = {name for name, label in labels.items() if label in ("probed", "verified")}
    late = {"mcp-connects", "mcp-secret", "mcp-dead"}
    no_shell = {"tool", "mode-again"}
    assert labels.keys() - proven == {"mode", "resume", *late, *no_shell}


def test_a_matrix_of_a_forged_report_is_refused(tmp_path):
    from groupx.cli.failures import Refused

    file, table = tmp_path / "run.json", tmp_path / "matrix.md"
    file.write_bytes(write_report(REPORT).replace(b"session new", b"session old"))
    result = run("matrix", file, "--output", table)
    assert isinstance(result.exception, Refused)
    assert "SHA-256" in result.exception.message
    assert not table.exists()


def test_a_matrix_is_printed_where_no_file_is_named(tmp_path):
    file = tmp_path / "run.json"
    file.write_bytes(write_report(REPORT))
    result = run("matrix", file)
    assert result.return_value == 0
    assert "| capability | grok 1.0 |" in result.output
