"""A session's own folder: private, empty, and gone with the session."""

import shutil

import pytest
import trio

from groupx.actors.private_folders import PrivateFolders
from groupx.adapters.contract import AdapterStartError
from groupx.domain.errors import ErrorCode


async def test_it_is_gone_however_the_session_ends(tmp_path) -> None:
    folders = PrivateFolders(parent=tmp_path)
    with trio.CancelScope() as scope:
        async with folders.one("a") as first, folders.one("a") as second:
            assert first != second
            assert first.stat().st_mode & 0o777 == 0o700
            (first / "file").write_text("x")
            scope.cancel()
            await trio.lowlevel.checkpoint()
    assert list(tmp_path.iterdir()) == []


async def test_a_folder_that_cannot_be_removed_is_left_to_the_sweep(tmp_path, monkeypatch) -> None:
    folders = PrivateFolders(parent=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        async with folders.one("a") as folder:
            pass
    assert folder.is_dir()


async def test_removing_what_takes_for_ever_holds_up_nobody(jumping_clock, tmp_path) -> None:
    async def for_ever(_) -> None:
        await trio.sleep_forever()

    async with PrivateFolders(parent=tmp_path, aside=for_ever).one("a"):
        pass
    assert trio.current_time() < 5


async def test_a_disk_that_gives_none_is_a_start_that_may_be_tried_again(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AdapterStartError) as caught:
        async with PrivateFolders(parent=tmp_path / "file").one("a"):
            pass
    assert (caught.value.code, caught.value.transient) == (ErrorCode.ADAPTER_START_FAILED, True)
    assert "not a directory" in caught.value.message
