"""The data directory is the user's own, whatever the umask."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.paths import Paths, resolve_paths
from groupx.runtime_folder import make_private_folders, sibling_databases, write_runtime_file


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def paths_in(folder: Path, **env: str) -> Paths:
    return resolve_paths(
        env=env, config_path=str(folder / "groupx.json"), storage_path=None, channel="local"
    )


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_are_closed_to_others_even_if_they_were_open(tmp_path: Path):
    paths = paths_in(tmp_path, GROUPX_DB="deep/er/room.db")
    Path(paths.data).mkdir(mode=0o777)
    make_private_folders(paths)
    assert mode(Path(paths.data)) == 0o700
    assert (Path(paths.data) / "deep/er").is_dir()


def test_a_folder_that_cannot_be_made_is_refused_with_a_way_out(tmp_path: Path):
    (tmp_path / ".groupx").write_text("a file")
    with pytest.raises(GroupXError, match="folder of your own"):
        make_private_folders(paths_in(tmp_path))


def test_the_runtime_file_holds_no_more_than_the_cli_needs(tmp_path: Path):
    paths = paths_in(tmp_path)
    Path(paths.run).mkdir(parents=True)
    for port in (1, 2):
        write_runtime_file(paths, port=port, scope_key="k")
    file = Path(paths.runtime_file)
    assert json.loads(file.read_text()) == {
        "port": 2,
        "runtimeScopeKey": "k",
        "pid": os.getpid(),
    }
    assert mode(file) == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_siblings_are_the_other_databases(tmp_path: Path):
    paths = paths_in(tmp_path, GROUPX_DB=str(tmp_path / "groupx-mine.db"))
    Path(paths.data).mkdir()
    for name in ("groupx-mine.db", "groupx-other.db", "notes.db", ".groupx/groupx.db"):
        (tmp_path / name).touch()
    assert sibling_databases(paths) == [
        tmp_path / ".groupx/groupx.db",
        tmp_path / "groupx-other.db",
    ]
