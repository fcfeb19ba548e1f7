"""What starts programs, as a part of the daemon: nothing of an earlier run is left, nor of this."""

from collections.abc import Callable
from pathlib import Path

import attrs
import structlog
import trio

from groupx.domain.paths import Paths
from groupx.process.spawner import Spawner
from groupx.process.sweep import record_run, sweep
from groupx.runtime_folder import write_runtime_file
from groupx.supervisor.child import ChildContext

_log = structlog.stdlib.get_logger("groupx.runtime")


@attrs.frozen(kw_only=True)
class ProcessesPart:
    """The spawner and the run folder, from the sweep of what was left to the sweep of our own."""

    spawner: Spawner
    paths: Paths
    port: int
    scope_key: str
    lost: Callable[[], str | None]
    """Of the lease: then what is in the folder may be another runtime's."""

    async def run(self, context: ChildContext) -> None:
        """Until asked to stop. SpawnError where programs cannot be started."""
        await self._sweep()
        record_run(Path(self.paths.run), self.spawner.run_id)
        write_runtime_file(self.paths, port=self.port, scope_key=self.scope_key)
        await self.spawner.start()
        try:
            context.ready()
            await context.stopping.wait()
        finally:
            with trio.CancelScope(shield=True):
                await self.spawner.aclose()
                await self._sweep()

    async def _sweep(self) -> None:
        if self.lost() is not None:
            return
        left = await trio.to_thread.run_sync(sweep, Path(self.paths.run))
        if left.processes or left.paths:
            _log.warning("could not be ended or removed", left=left)
