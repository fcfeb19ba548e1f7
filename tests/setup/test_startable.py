"""What a start would refuse for its database is refused while the page can still say so."""

import json
import os
from pathlib import Path

import pytest

from groupx.domain.config import Config
from groupx.domain.config_error import ConfigError
from groupx.domain.config_parsing import parse_config
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.setup.desk import SetupDesk
from groupx.setup.startable import refuse_unstartable
from groupx.supervisor.lease import RunLease

AGENTS = {"a": {"driver": "demo", "cwd": "."}}


@pytest.fixture(autouse=True)
def _no_database_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUPX_DB", raising=False)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The database of another room."""
    return tmp_path / "other" / "room.db"


def document(database: Path) -> dict:
    return {"agents": AGENTS, "storage": {"path": str(database)}}


def config_of(folder: Path, database: Path) -> Config:
    data = json.dumps(document(database)).encode()
    return parse_config(data, path=str(folder / "groupx.json"), drivers=("demo",))


def desk_of(folder: Path, running: Config | None) -> SetupDesk:
    return SetupDesk(
        folder / "groupx.json", drivers=("demo",), port=1, revision_key=b"", running=running
    )


async def test_the_wizard_refuses_the_database_of_a_running_room_and_saves_once_that_has_stopped(
    tmp_path: Path, other: Path
):
    desk = desk_of(tmp_path, None)
    with RunLease.acquire(other, other.parent):
        with pytest.raises(GroupXError, match=r"another running room.*Nothing was saved") as caught:
            await desk.save("absent", document(other))
        assert caught.value.details["path"] == "storage.path"
        assert not (tmp_path / "groupx.json").exists()
    await desk.save("absent", document(other))
    assert json.loads((tmp_path / "groupx.json").read_text()) == document(other)


async def test_a_running_room_saves_it_and_is_not_stopped_for_it(tmp_path: Path, other: Path):
    own = tmp_path / "own.db"
    (tmp_path / "groupx.json").write_text(json.dumps(document(own)))
    desk = desk_of(tmp_path, config_of(tmp_path, own))
    with RunLease.acquire(own, tmp_path / ".groupx"), RunLease.acquire(other, other.parent):
        await desk.check()
        draft = await desk.read()
        assert (await desk.save(draft.revision, document(other))).restart_required
        with pytest.raises(ConfigError, match=r"another running room.*Nothing was started"):
            await desk.check()


def linked(place: Path) -> None:
    place.write_bytes(b"")
    os.link(place, place.with_name("twin.db"))


@pytest.mark.parametrize(
    ("spoil", "code", "said"),
    [
        (linked, ErrorCode.STORE_UNAVAILABLE, "more than one name"),
        (lambda place: place.write_text("no database" * 99), ErrorCode.INVALID_ENVELOPE, "found"),
        (lambda place: place.mkdir(), ErrorCode.INVALID_ENVELOPE, "not a file"),
        (lambda place: place.parent.chmod(0o500), ErrorCode.INVALID_ENVELOPE, "can be written"),
        (
            lambda place: place.with_name("room.db.lock").symlink_to("x"),
            ErrorCode.STORE_UNAVAILABLE,
            "lock file",
        ),
    ],
    ids=["linked", "no database", "a folder", "a closed folder", "no lock"],
)
def test_what_no_room_can_be_started_with_is_refused_and_left_as_it_is(
    tmp_path: Path, other: Path, spoil, code: ErrorCode, said: str
):
    other.parent.mkdir()
    spoil(other)
    if os.getuid() == 0 and said == "can be written":
        pytest.skip("to root every folder is open")
    before = sorted(path.name for path in other.parent.iterdir())
    with pytest.raises(GroupXError, match=said) as caught:
        refuse_unstartable(config_of(tmp_path, other), running=None)
    assert caught.value.code is code
    assert sorted(path.name for path in other.parent.iterdir()) == before
    other.parent.chmod(0o700)


def test_a_place_that_is_free_is_left_untouched(tmp_path: Path, other: Path):
    refuse_unstartable(config_of(tmp_path, other), running=None)
    assert not other.parent.exists()
