"""A folder for as long as one session, which nobody else may look into."""

import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import trio

from groupx.adapters.contract import AdapterStartError
from groupx.domain.errors import ErrorCode

REMOVAL_SECONDS = 2.0
"""What is still there then is removed by the sweep at the end of the run."""


async def _in_thread(work: Callable[[], Any]) -> None:
    await trio.to_thread.run_sync(work, abandon_on_cancel=True)


@attrs.frozen(kw_only=True)
class PrivateFolders:
    """Makes them inside `parent`, an existing private folder."""

    parent: Path
    aside: Callable[[Callable[[], Any]], Awaitable[None]] = _in_thread
    """Runs what may take long where it holds up nobody."""

    @asynccontextmanager
    async def one(self, prefix: str) -> AsyncGenerator[Path]:
        """A new empty folder. AdapterStartError when the disk does not give one."""
        try:
            path = Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=self.parent))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"A folder for the session could not be made in {self.parent}: {reason}. Nothing "
                "was sent. Make room and the folder writable, then start the agent again.",
            ) from error
        try:
            yield path
        finally:
            with trio.move_on_after(REMOVAL_SECONDS, shield=True):
                await self.aside(partial(shutil.rmtree, path, ignore_errors=True))
