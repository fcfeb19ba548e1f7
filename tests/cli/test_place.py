"""Which config a command is about, and what is said when there is none."""

import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from groupx.cli import group
from groupx.cli.demo import ensure_demo
from groupx.cli.failures import Refused
from groupx.cli.place import find_place
from groupx.domain.config_error import ConfigError
from groupx.domain.config_parsing import SMALLEST_CONFIG


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPX_CONFIG", raising=False)
    monkeypatch.delenv("GROUPX_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))


def test_no_config_shows_the_smallest_one_and_names_the_demo():
    with pytest.raises(Refused) as caught:
        find_place(config=None, demo=False).load()
    assert SMALLEST_CONFIG in caught.value.message
    assert "--demo" in caught.value.message


def test_a_link_to_a_config_is_the_same_runtime(tmp_path: Path):
    real = tmp_path / "real"
    real.mkdir()
    (real / "groupx.json").write_text(SMALLEST_CONFIG)
    (tmp_path / "link.json").symlink_to(real / "groupx.json")
    place = find_place(config="link.json", demo=False)
    assert place.config_path == (real / "groupx.json").resolve()
    assert place.data == real.resolve() / ".groupx"
    config, paths = place.load()
    assert config.path == paths.config == str(place.config_path)
    assert not place.data.exists()


def test_a_wrong_config_is_refused_by_name(tmp_path: Path):
    (tmp_path / "groupx.json").write_text("{")
    with pytest.raises(ConfigError, match=r"groupx.json: line 1, column 2"):
        find_place(config=None, demo=False).load()


def _nothing_but_a_file(folder: Path) -> list[str]:
    os.mkfifo(folder / "fifo")
    return [str(folder), str(folder / "fifo"), "/dev/zero", "/dev/null"]


def test_what_is_no_file_is_refused_as_config_and_not_waited_for(tmp_path: Path):
    for config in _nothing_but_a_file(tmp_path):
        with pytest.raises(Refused, match=r"cannot be read.*nothing was started"):
            find_place(config=config, demo=False).load()


@pytest.mark.parametrize(
    ("database", "what"),
    [
        ("run/room.db", "emptied"),
        ("run/deep/../room.db", "emptied"),
        ("run", "emptied"),
        ("run/runtime.json", "emptied"),
        ("link/room.db", "emptied"),
        ("linked.db", "token"),
        ("../groupx.json", "config"),
        (".", "data directory"),
        ("runtime.lock", "lock"),
        ("token", "token"),
        ("groupx.log", "log"),
        ("groupx.log.1", "log"),
        ("groupx-local.db.lock", r"\*\.lock"),
        ("token-wal", "-wal"),
        ("room.db-SHM", "-shm"),
        ("room.db-journal", "-journal"),
        ("groupx-local.db.before-format-10.bak", r"\*\.bak"),
        ("kept.db", r"\*\.bak"),
    ],
)
@pytest.mark.parametrize("by_variable", [True, False])
def test_a_database_is_never_where_it_would_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str, what: str, by_variable: bool
):
    data = tmp_path / ".groupx"
    (data / "run").mkdir(parents=True)
    (data / "link").symlink_to("run")
    (data / "linked.db").symlink_to("token")
    (data / "kept.db").symlink_to("room.bak")
    if by_variable:
        monkeypatch.setenv("GROUPX_DB", database)
    storage = "" if by_variable else f'"storage": {{"path": ".groupx/{database}"}}, '
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG.replace("{", "{" + storage, 1))
    with pytest.raises(Refused, match=f"{what}.*nothing was started"):
        find_place(config=None, demo=False).load()


def test_a_database_beside_them_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)
    for name in ("running/room.db", "tokens.db", "groupx.db", ":memory:"):
        monkeypatch.setenv("GROUPX_DB", name)
        find_place(config=None, demo=False).load()


TAKEN = [
    "run/new",
    "run/deep/new",
    "token",
    "groupx.log",
    "x.db-wal",
    "x.db.lock",
    "../groupx.json",
]


@pytest.mark.parametrize("whose", ["mine", "theirs"])
@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("argv", [["backup"], ["export", "--output"], ["import", "x", "--into"]])
def test_no_file_is_made_among_those_of_a_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str, name: str, argv: list[str]
):
    for room in ("mine", "theirs"):
        (tmp_path / room / ".groupx/run/deep").mkdir(parents=True)
    (tmp_path / "mine/groupx.json").write_text(SMALLEST_CONFIG)
    monkeypatch.chdir(tmp_path / "mine")
    before = sorted(tmp_path.rglob("*"))
    target = tmp_path / whose / ".groupx" / name
    if name.startswith("..") and whose == "theirs":
        target = tmp_path / "theirs/.groupx/run"
    done = CliRunner().invoke(group, [*argv, str(target)])
    assert done.exit_code == 1
    assert "nothing was made" in done.output
    assert sorted(tmp_path.rglob("*")) == before


def test_demo_and_config_exclude_each_other():
    with pytest.raises(Refused, match="either"):
        find_place(config="x.json", demo=True)


def test_the_demo_has_three_agents_and_is_kept(tmp_path: Path):
    place = find_place(config=None, demo=True)
    ensure_demo(place, reset=False)
    assert place.config_path == tmp_path / "xdg/groupx/demo/groupx.json"
    assert stat.S_IMODE(place.config_path.stat().st_mode) == 0o600
    config, _ = place.load()
    assert [agent.driver for agent in config.agents] == ["demo"] * 3
    assert all(agent.name and agent.identity for agent in config.agents)
    assert config.server.port == 4311
    place.config_path.write_text(SMALLEST_CONFIG)
    ensure_demo(place, reset=False)
    assert place.config_path.read_text() == SMALLEST_CONFIG


def test_reset_clears_the_demos_folder_only(tmp_path: Path):
    place = find_place(config=None, demo=True)
    ensure_demo(place, reset=False)
    neighbour = tmp_path / "xdg/groupx/keep.txt"
    neighbour.write_text("mine")
    (place.data).mkdir()
    (place.data / "groupx-local.db").write_text("old")
    ensure_demo(place, reset=True)
    assert place.config_path.exists()
    assert not place.data.exists()
    assert neighbour.read_text() == "mine"


def test_reset_refuses_while_the_demo_runs():
    import fcntl

    place = find_place(config=None, demo=True)
    ensure_demo(place, reset=False)
    place.data.mkdir()
    with open(place.paths().lock, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Refused, match="running"):
            ensure_demo(place, reset=True)
    assert place.config_path.exists()
