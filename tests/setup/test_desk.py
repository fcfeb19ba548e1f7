"""The config's file as the setup reads and replaces it."""

import json
import stat
from pathlib import Path

import pytest

from groupx.domain.config_parsing import parse_config
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.setup.config_file import read_config_file, replace_config_file
from groupx.setup.desk import SetupDesk, Waiting

DEMO = {"driver": "demo", "cwd": "."}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "groupx.json"


def desk(file: Path, saved: list | None = None, key: bytes = b"key") -> SetupDesk:
    on_saved = (lambda _: None) if saved is None else saved.append
    return SetupDesk(
        file, drivers=("demo", "acp"), port=4310, revision_key=key, running=None, on_saved=on_saved
    )


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("before", "private", "after"),
    [(None, False, 0o600), (0o644, False, 0o644), (0o644, True, 0o600), (0o400, True, 0o400)],
)
def test_a_file_is_no_more_open_than_it_was_and_closed_when_it_holds_values(
    file: Path, before: int | None, private: bool, after: int
):
    if before is not None:
        file.write_text("{}")
        file.chmod(before)
    replace_config_file(file, b"new", private=private)
    assert file.read_bytes() == b"new"
    assert mode(file) == after
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_a_folder_is_not_waited_for(file: Path):
    file.mkdir()
    with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
        read_config_file(file)


async def test_a_file_that_changed_meanwhile_is_left_alone(file: Path):
    saved: list = []
    file.write_text(json.dumps({"agents": {"a": DEMO}}))
    draft = await desk(file).read()
    file.write_text(json.dumps({"agents": {"b": DEMO}}))
    with pytest.raises(GroupXError) as caught:
        await desk(file, saved).save(draft.revision, draft.config)
    assert caught.value.code is ErrorCode.STORE_CONFLICT
    assert list(json.loads(file.read_text())["agents"]) == ["b"]
    assert saved == []


async def test_what_is_given_out_of_a_version_depends_on_the_key_alone(file: Path):
    file.write_text(json.dumps({"agents": {"a": {**DEMO, "env": {"PIN": "1234"}}}}))
    revisions = [
        (await keyed.read()).revision
        for keyed in (desk(file, key=b"one"), desk(file, key=b"one"), desk(file, key=b"two"))
    ]
    assert revisions[0] == revisions[1] != revisions[2]
    with pytest.raises(GroupXError) as caught:
        await desk(file, key=b"two").save(revisions[0], {"agents": {"a": DEMO}})
    assert caught.value.details == {"revision": revisions[2]}


@pytest.mark.parametrize(("given", "waits"), [(False, 4320), (True, None)])
async def test_a_port_is_said_to_wait_unless_the_command_line_named_another(
    file: Path, given: bool, waits: int | None
):
    file.write_text(json.dumps({"server": {"port": 4320}, "agents": {"a": DEMO}}))
    running = parse_config(file.read_bytes(), path=str(file), drivers=("demo",))
    room = SetupDesk(
        file, drivers=("demo",), port=4310, port_is_given=given, revision_key=b"", running=running
    )
    assert room.waiting == Waiting(restart_required=False, pending_restart=(), pending_port=waits)
    draft = await room.read()
    draft.config["agents"]["b"] = DEMO
    saved = await room.save(draft.revision, draft.config)
    assert (saved.restart_required, saved.pending_restart) == (True, ("agent:b",))
    assert saved.pending_port == waits


async def test_keys_that_no_form_shows_and_the_values_of_variables_stay(file: Path):
    document = {
        "timeouts": {"ask": 1000},
        "agents": {"a": {**DEMO, "env": {"KEY": "value-1"}}},
        "assistant": {
            "enabled": True,
            "name": "Ann",
            "brain": {"driver": "acp", "command": {"executable": "x"}, "cwd": "."},
        },
    }
    file.write_text(json.dumps(document))
    draft = await desk(file).read()
    assert "value-1" not in json.dumps(draft.config)
    draft.config["agents"]["a"]["name"] = "Ada"
    await desk(file).save(draft.revision, draft.config)
    document["agents"]["a"]["name"] = "Ada"
    assert json.loads(file.read_text()) == document
    assert mode(file) == 0o600


async def test_a_folder_that_is_away_hinders_only_what_is_new(file: Path):
    away = {**DEMO, "cwd": "away"}
    file.write_text(json.dumps({"agents": {"a": away}}))
    draft = await desk(file).read()
    await desk(file).save(draft.revision, {"agents": {"a": {**away, "name": "A"}}})
    draft = await desk(file).read()
    with pytest.raises(GroupXError) as caught:
        await desk(file).save(draft.revision, {"agents": {"a": {**DEMO, "cwd": "gone"}}})
    assert caught.value.details["path"] == "agents.a.cwd"


async def test_a_database_where_it_would_be_lost_is_refused(file: Path):
    config = {"agents": {"a": DEMO}, "storage": {"path": "groupx.json"}}
    with pytest.raises(GroupXError) as caught:
        await desk(file).save("absent", config)
    assert caught.value.details["path"] == "storage.path"
    assert not file.exists()
