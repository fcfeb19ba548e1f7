"""The data directory: private whatever the umask, with a part that lives only while we do."""

import json
import os
import shutil
from pathlib import Path

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.paths import Paths


def make_private_folder(folder: Path) -> None:
    """`folder` exists, is the user's own and closed to others (0700). STORE_UNAVAILABLE if not."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise GroupXError(
            ErrorCode.STORE_UNAVAILABLE,
            f"The folder {folder} cannot be made private ({error.strerror}), and GroupX keeps "
            "secrets there; nothing was started. Put the config into a folder of your own.",
        ) from None


def sweep_run_folder(paths: Paths) -> None:
    """Begin with an empty run folder. Only the holder of the lease may."""
    clear_run_folder(paths)
    make_private_folder(Path(paths.run))


def clear_run_folder(paths: Paths) -> None:
    """Remove what an earlier run left, or this one leaves. A link is removed, not followed."""
    run = Path(paths.run)
    if run.is_symlink():
        run.unlink()
        return
    if not run.exists():
        return
    for entry in run.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def write_runtime_file(paths: Paths, *, port: int, scope_key: str) -> None:
    """Say where this runtime listens, for the CLI."""
    text = json.dumps({"port": port, "runtimeScopeKey": scope_key})
    _write_private(Path(paths.runtime_file), text.encode())


def _write_private(path: Path, data: bytes) -> None:
    staged = path.with_name(f".{path.name}.part")
    staged.unlink(missing_ok=True)
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o600)
        file.write(data)
    staged.replace(path)
