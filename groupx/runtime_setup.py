"""GroupX without a config: the wizard on the room's own port, and in its place the room."""

import os
import socket
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import attrs
import structlog
import trio

from groupx import __version__
from groupx.actors.callers import Callers
from groupx.adapters.registry import ADAPTERS
from groupx.domain.addresses import LOOPBACK
from groupx.domain.config import Config
from groupx.domain.paths import Paths
from groupx.domain.runtime_keys import runtime_scope_key
from groupx.domain.times import iso_from_ms
from groupx.mcp.mount import McpMount
from groupx.process.spawner import Spawner, SpawnError
from groupx.runtime import CLOSING_SECONDS, EXIT_STUCK, run_runtime
from groupx.runtime_folder import make_private_folders, open_token
from groupx.runtime_log import configure_log
from groupx.runtime_plan import Plan, RuntimeFailed
from groupx.runtime_processes import ProcessesPart
from groupx.setup.checks import Checks
from groupx.setup.desk import SetupDesk
from groupx.setup.programs import Programs
from groupx.supervisor.child import describe
from groupx.supervisor.early_signals import keep_signals
from groupx.supervisor.lease import RunLease
from groupx.supervisor.listener import bind_port
from groupx.supervisor.obeying import run_obeying
from groupx.supervisor.tree import ChildContext, ChildSpec, Supervisor
from groupx.web.app import create_guards
from groupx.web.login import LoginCodes
from groupx.web.server import WebServer
from groupx.web.services import Entrance, RuntimeFacts, RuntimeStatus, SetupFace, Status

_log = structlog.stdlib.get_logger("groupx.setup")


@attrs.frozen(kw_only=True)
class SetupPlan:
    """What one run of the wizard is asked to be."""

    config_path: Path
    """Where there is no file yet."""
    paths: Paths
    port: int
    """0 takes a free one."""
    log_file: Path | None = None
    on_open: Callable[[int, str], None]
    """Told the port and a login URL that works once, when the wizard can be used."""
    plan_for: Callable[[Config], Plan]
    """The room to be opened once this was saved."""


def run_setup(plan: SetupPlan) -> int | None:
    """The wizard until a config is saved, then its room on the same port; as run_runtime."""
    configure_log(plan.log_file)
    with closing(bind_port(LOOPBACK, plan.port)) as listening:
        make_private_folders(plan.paths)
        with RunLease.acquire(None, Path(plan.paths.data)) as lease:
            Path(plan.paths.runtime_file).unlink(missing_ok=True)
            keep_signals()
            config = trio.run(partial(_wizard, plan, listening, lease))
        # Who calls meanwhile waits in the port's backlog: it is never closed.
        return None if config is None else run_runtime(plan.plan_for(config), listening)


async def _wizard(plan: SetupPlan, listening: socket.socket, lease: RunLease) -> Config | None:
    return await _Wizard(plan, listening, lease).run()


class _Wizard:
    """A runtime without a room: the page, its login, and the setup."""

    def __init__(self, plan: SetupPlan, listening: socket.socket, lease: RunLease) -> None:
        self._plan = plan
        self._status = Status.STARTING
        self._saved: Config | None = None
        self._port: int = listening.getsockname()[1]
        scope_key = runtime_scope_key(str(plan.config_path))
        token = open_token(Path(plan.paths.token))
        self._logins = LoginCodes(token, on_spent=self._remove_open_page)
        spawner = Spawner()
        desk = SetupDesk(
            plan.config_path,
            drivers=ADAPTERS,
            port=self._port,
            revision_key=token.key_for("setup"),
            running=None,
            on_saved=self._on_saved,
        )
        entrance = Entrance(
            facts=RuntimeFacts(
                version=__version__,
                channel=plan.paths.channel,
                started_at=iso_from_ms(time.time_ns() // 1_000_000),
                runtime_key=scope_key,
                runtime_scope_key=scope_key,
                port=self._port,
            ),
            status=lambda: RuntimeStatus(status=self._status),
            request_shutdown=self._stop,
            request_restart=self._stop,
            token=token,
            logins=self._logins,
            mcp=McpMount(Callers(f"http://{LOOPBACK}:{self._port}", os.urandom)),
            setup=SetupFace(
                desk=desk, programs=Programs(ADAPTERS, spawner), checks=Checks(ADAPTERS, spawner)
            ),
        )
        self._web = WebServer(listening.dup(), create_guards(entrance))
        processes = ProcessesPart(
            spawner=spawner,
            paths=plan.paths,
            port=self._port,
            scope_key=scope_key,
            lost=lease.lost,
        )
        part = partial(ChildSpec, fatal=True, stop_grace=CLOSING_SECONDS)
        self._tree = Supervisor(
            (
                part(name="web", run=self._web.run_as_part),
                part(name="processes", run=processes.run),
                part(name="wizard", run=self._keep_open),
            ),
            on_stuck=lambda _: os._exit(EXIT_STUCK),
        )

    async def run(self) -> Config | None:
        """What was saved; None when it was asked to stop. Raises RuntimeFailed, SpawnError."""
        failure = await run_obeying(self._tree, stop=self._stop, exit_hard=os._exit)
        if failure is None:
            return None if self._status is Status.CLOSING else self._saved
        cause = failure.__cause__
        if isinstance(cause, SpawnError):
            raise cause
        raise RuntimeFailed(failure.name, "" if cause is None else describe(cause)) from cause

    async def _keep_open(self, context: ChildContext) -> None:
        self._status = Status.SETUP
        url = f"http://{LOOPBACK}:{self._port}/login?code={self._logins.new()}"
        self._plan.on_open(self._port, url)
        _log.info("waiting for a config", port=self._port, config=str(self._plan.config_path))
        context.ready()
        await context.stopping.wait()

    def _on_saved(self, config: Config) -> None:
        """The answer leaves before the server: that is the last part to stop."""
        self._saved = config
        self._status = Status.STARTING
        self._tree.stop()

    def _stop(self) -> None:
        self._status = Status.CLOSING
        self._tree.stop()

    def _remove_open_page(self) -> None:
        Path(self._plan.paths.open_page).unlink(missing_ok=True)
