"""The adapter of every program that speaks ACP; what differs is in its driver's row."""

import os
import shutil
from collections.abc import Mapping
from functools import partial

import attrs
import trio

import groupx
from groupx.adapters.acp.drivers import AcpDriver
from groupx.adapters.acp.failures import words_of
from groupx.adapters.acp.handshake import Greeting, greet, log_in
from groupx.adapters.acp.modes import ModeInEffect
from groupx.adapters.acp.opening import OpenedSession, open_session
from groupx.adapters.acp.quirks import Quirks
from groupx.adapters.acp.session import AcpSession
from groupx.adapters.connection import ConnectionLost
from groupx.adapters.contract import (
    EventSink,
    NativeSession,
    PastAttempt,
    ProbeReport,
    Reconciled,
    SessionFacts,
    SessionProfile,
)
from groupx.adapters.jsonrpc import RpcError
from groupx.adapters.probing import output_of
from groupx.adapters.serving import handshaking, serve_session
from groupx.adapters.starting import ended_early, last_words, not_started, refused
from groupx.domain.attempts import Reconciliation
from groupx.process.child import ChildProcess
from groupx.process.environment import child_environment
from groupx.process.spawner import Spawner, SpawnError


class AcpAdapter:
    """An `Adapter` for one row of the drivers."""

    can_reconcile = False

    def __init__(self, driver: AcpDriver) -> None:
        self._row = driver
        self.driver = driver.name
        self.adapter_id = driver.name

    async def probe(self, profile: SessionProfile, spawner: Spawner) -> ProbeReport:
        """Look for the program; ask it for its version and flags where that is safe."""
        row, environment = self._row, _environment(profile)
        prefix = row.prefix(profile)
        path = shutil.which(prefix[0], path=environment.get("PATH")) if prefix else None
        if path is None:
            named = prefix[0] if prefix else "no command"
            return ProbeReport(found=False, problem=f"{named} was not found. {row.install}")
        version = problem = None
        if row.version_arguments is not None:
            said = await output_of(spawner, (*prefix, *row.version_arguments), environment)
            version = next(iter(said.splitlines()), None)
        if row.needed_flags:
            said = await output_of(spawner, (*prefix, *row.help_arguments), environment)
            missing = [flag for flag in row.needed_flags if flag not in said]
            if missing:
                problem = f"It does not know {', '.join(missing)}: update it. {row.install}"
        return ProbeReport(found=True, path=path, version=version, problem=problem)

    async def reconcile(
        self, profile: SessionProfile, spawner: Spawner, attempt: PastAttempt, sink: EventSink
    ) -> Reconciled:
        """ACP has no question for what became of one turn."""
        await trio.lowlevel.checkpoint()
        return Reconciled(Reconciliation.UNSUPPORTED)

    async def serve(
        self,
        profile: SessionProfile,
        spawner: Spawner,
        *,
        task_status: trio.TaskStatus[NativeSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Start the program, hand over the ready session, serve it until its process is gone."""
        argv, environment = self._row.argv(profile), _environment(profile)
        try:
            opening = spawner.open(argv, cwd=profile.cwd, env=environment, secrets=profile.secrets)
            async with opening as child:
                session = AcpSession(child, profile, self._row.quirks)
                open_it = partial(self._open, session, child, profile, environment)
                await serve_session(session, open_it, task_status)
        except SpawnError as error:
            raise not_started(error, self._row.install) from error

    async def _open(
        self,
        session: AcpSession,
        child: ChildProcess,
        profile: SessionProfile,
        environment: Mapping[str, str],
    ) -> None:
        connection, quirks = session.connection, self._row.quirks
        profile = _with_patience(profile, quirks)
        try:
            with handshaking(session, child, profile.timeouts):
                greeting = await greet(connection, quirks, our_version=groupx.__version__)
                login = await log_in(connection, greeting, environment, profile.timeouts)
                opened = await open_session(connection, greeting, profile, quirks)
                if opened.mcp_injected and not await session.room_tools.reached():
                    opened = attrs.evolve(opened, mcp_injected=False)
        except RpcError as error:
            raise refused(words_of(error), self._row.install) from error
        except ConnectionLost as lost:
            said, install = last_words(connection, child), self._row.install
            raise ended_early(
                lost.loss, child.returncode, said, protocol="ACP", install=install
            ) from lost
        session.open_as(
            opened.session_id,
            attrs.evolve(_facts(child, greeting, opened, quirks), login=login),
            can_close=greeting.can_close,
        )


def _environment(profile: SessionProfile) -> dict[str, str]:
    return child_environment(os.environ, profile.env)


def _with_patience(profile: SessionProfile, quirks: Quirks) -> SessionProfile:
    """The profile, with the time that the program takes for the room's MCP server."""
    if profile.mcp is None:
        return profile
    given, more = profile.timeouts, int(quirks.mcp_wait_seconds * 1000)
    longer = attrs.evolve(given, handshake=given.handshake + more, request=given.request + more)
    return attrs.evolve(profile, timeouts=longer)


def _mode_label(mode: ModeInEffect | None) -> str:
    if mode is None:
        return "not_observed"
    return "probed" if mode.confirmed else "advertised"


def _facts(
    child: ChildProcess, greeting: Greeting, opened: OpenedSession, quirks: Quirks
) -> SessionFacts:
    def label(offered: bool) -> str:
        return "advertised" if offered else "unsupported"

    return SessionFacts(
        native_session_id=opened.session_id,
        protocol="acp",
        protocol_version="1",
        program_name=greeting.name,
        program_version=greeting.version,
        continuity="resumed" if opened.resumed else "new",
        capabilities={
            "streaming": "documented",
            "cancel": "documented",
            "resume": "probed" if opened.resumed else label(greeting.how_to_resume is not None),
            "mcp": "documented" if quirks.mcp_http_unadvertised else label(greeting.mcp_http),
            "close": label(greeting.can_close),
            "mode": _mode_label(opened.mode),
        },
        argv=child.argv,
        mcp_injected=opened.mcp_injected,
    )
