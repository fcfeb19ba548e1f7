"""The adapter of every program that speaks ACP; what differs is in its driver's row."""

import os
import shutil
from collections.abc import Mapping

import trio

import groupx
from groupx.adapters.acp.drivers import AcpDriver
from groupx.adapters.acp.failures import words_of
from groupx.adapters.acp.handshake import Greeting, NoAnswer, greet, log_in
from groupx.adapters.acp.opening import OpenedSession, open_session
from groupx.adapters.acp.session import STDERR_CHARACTERS, AcpSession
from groupx.adapters.contract import (
    AdapterStartError,
    NativeSession,
    ProbeReport,
    SessionFacts,
    SessionProfile,
)
from groupx.adapters.jsonrpc import ConnectionLost, RpcError
from groupx.adapters.probing import output_of
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt
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
            opening = spawner.open(argv, cwd=profile.cwd, env=environment)
            async with opening as child:
                await self._serve(child, profile, environment, task_status)
        except SpawnError as error:
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"{error} Nothing was sent to it. {self._row.install}",
                transient=not error.not_found,
            ) from error

    async def _serve(
        self,
        child: ChildProcess,
        profile: SessionProfile,
        environment: Mapping[str, str],
        task_status: trio.TaskStatus[NativeSession],
    ) -> None:
        session = AcpSession(child, profile, self._row.quirks)
        refused: AdapterStartError | None = None
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(session.connection.serve)
                try:
                    await self._open(session, child, profile, environment)
                except AdapterStartError as error:
                    refused = error
                    nursery.cancel_scope.cancel()
                else:
                    task_status.started(session)
        finally:
            session.closed.set()
        if refused is not None:
            raise refused

    async def _open(
        self,
        session: AcpSession,
        child: ChildProcess,
        profile: SessionProfile,
        environment: Mapping[str, str],
    ) -> None:
        connection, quirks = session.connection, self._row.quirks
        try:
            with trio.fail_after(profile.timeouts.handshake / 1000):
                greeting = await greet(connection, quirks, our_version=groupx.__version__)
                await log_in(connection, greeting, environment, profile.timeouts)
                opened = await open_session(connection, greeting, profile, quirks)
        except trio.TooSlowError as error:
            raise self._too_slow(session, child, profile, error) from error
        except RpcError as error:
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"The program refused to begin: {words_of(error)}. Nothing was sent to it. "
                f"{self._row.install}",
            ) from error
        except ConnectionLost as lost:
            raise self._ended_early(session, child, lost) from lost
        if session.unprompted is not None:
            raise _asked_early(session)
        session.open_as(
            opened.session_id,
            _facts(child, greeting, opened),
            can_close=greeting.can_close,
        )

    def _too_slow(
        self,
        session: AcpSession,
        child: ChildProcess,
        profile: SessionProfile,
        error: trio.TooSlowError,
    ) -> AdapterStartError:
        if session.unprompted is not None:
            return _asked_early(session)
        if isinstance(error, NoAnswer):
            milliseconds, key = profile.timeouts.request, "timeouts.request"
            what = f"The program did not answer {error.method}"
        else:
            milliseconds, key = profile.timeouts.handshake, "timeouts.handshake"
            what = "The program was not ready"
        return AdapterStartError(
            ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT,
            f"{what} within {milliseconds / 1000:g} s. {_last_words(session, child)}"
            f"Nothing was sent to it. Try again, or raise {key}.",
        )

    def _ended_early(
        self, session: AcpSession, child: ChildProcess, lost: ConnectionLost
    ) -> AdapterStartError:
        said = _last_words(session, child)
        if lost.loss.kind == "broken":
            return AdapterStartError(
                ErrorCode.PROTOCOL_INVALID_MESSAGE,
                f"The program does not speak ACP. {lost.loss.reason} {said}"
                f"No message was sent to it. {self._row.install}",
                transient=False,
            )
        status = "" if child.returncode is None else f" (exit status {child.returncode})"
        return AdapterStartError(
            ErrorCode.ADAPTER_START_FAILED,
            f"The program ended before it was ready{status}. {said}No message was sent to it. "
            f"{self._row.install}",
            transient=child.returncode != 0,
        )


def _environment(profile: SessionProfile) -> dict[str, str]:
    return child_environment(os.environ, profile.env)


def _asked_early(session: AcpSession) -> AdapterStartError:
    assert session.unprompted is not None
    asked = session.unprompted
    return AdapterStartError(
        ErrorCode.UNEXPECTED_NATIVE_INTERACTION,
        f"The program asked for {asked.kind} before any message: {asked.reason}. GroupX answers no "
        "such questions, so nothing was sent to it. Answer it once in the program itself.",
        transient=False,
    )


def _last_words(session: AcpSession, child: ChildProcess) -> str:
    said = " ".join(
        part.strip()
        for part in (session.connection.preamble, child.stderr_excerpt(STDERR_CHARACTERS))
        if part.strip()
    )
    return f"It said: {excerpt(said, 600)}\n" if said else ""


def _facts(child: ChildProcess, greeting: Greeting, opened: OpenedSession) -> SessionFacts:
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
            "mcp": label(greeting.mcp_http),
            "close": label(greeting.can_close),
            "mode": "probed" if opened.mode else "not_observed",
        },
        argv=child.argv,
        mcp_injected=opened.mcp_injected,
    )
