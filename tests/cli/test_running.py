"""What is said of a room that runs and does not answer."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from groupx.cli import client, group
from groupx.cli.occupied import who_holds
from groupx.cli.place import Place, find_place
from groupx.cli.running import Running, Silent, find_running
from groupx.domain.config_parsing import SMALLEST_CONFIG
from groupx.supervisor.lease import RunLease


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPX_CONFIG", raising=False)
    monkeypatch.delenv("GROUPX_DB", raising=False)
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)
    return find_place(config=None, demo=False)


@pytest.fixture
def port(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a room that holds its lock and its port, and accepts nobody."""
    monkeypatch.setattr(client, "TIMEOUT_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.getsockname()[1]
        with RunLease.acquire(None, place.data):
            run = place.data / "run"
            run.mkdir()
            (run / "runtime.json").write_text(json.dumps({"port": number}))
            yield number


@pytest.mark.parametrize("argv", ["status", "stop", "start", "restart", "open", "backup"])
def test_every_command_says_that_it_runs_and_does_not_answer(port: int, argv: str):
    done = CliRunner().invoke(group, [argv])
    assert done.exit_code == 1
    assert f"runs but does not answer on port {port}" in done.output
    assert "lsof" in done.output


def test_status_as_json_says_it_too(port: int):
    done = CliRunner().invoke(group, ["status", "--json"])
    facts = json.loads(done.output)
    assert (facts["running"], facts["health"]) == (True, None)
    assert str(port) in facts["problem"]


def test_its_port_is_not_called_a_strangers(place: Place, port: int):
    assert "runs but does not answer" in who_holds(place, port)


def test_a_stranger_on_the_port_is_called_one(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client, "TIMEOUT_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        assert "not GroupX" in who_holds(place, listening.getsockname()[1])


@pytest.mark.parametrize("error", [client.NobodyListens, client.NotARuntime])
def test_a_room_that_stops_answering_in_between_is_no_traceback(
    place: Place, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
):
    def lose(*_: object) -> None:
        raise error

    monkeypatch.setattr("groupx.cli.status.find_running", lambda _: Running(port=1, health={}))
    monkeypatch.setattr("groupx.cli.status.client_of", lose)
    done = CliRunner().invoke(group, ["status"])
    assert done.exit_code == 1
    assert "stopped answering" in done.output


def test_who_asks_again_may_find_it(place: Place, port: int):
    with pytest.raises(Silent) as caught:
        find_running(place)
    assert caught.value.port == port


def test_without_the_lock_nothing_runs(place: Place, port: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("groupx.cli.running.locked", lambda _: False)
    assert find_running(place) is None
