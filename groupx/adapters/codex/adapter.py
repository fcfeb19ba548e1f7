"""The adapter of Codex, by its app-server on stdio."""

import os
import shutil

import trio

import groupx
from groupx.adapters.codex.opening import OpenedThread, greet, open_thread
from groupx.adapters.codex.programs import INSTALL, native_prefix
from groupx.adapters.codex.session import CodexSession
from groupx.adapters.connection import ConnectionLost
from groupx.adapters.contract import (
    AdapterStartError,
    NativeSession,
    ProbeReport,
    SessionFacts,
    SessionProfile,
)
from groupx.adapters.jsonrpc import RpcError
from groupx.adapters.probing import output_of
from groupx.adapters.starting import asked_early, ended_early, last_words, too_slow
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt
from groupx.process.child import ChildProcess
from groupx.process.environment import child_environment
from groupx.process.spawner import Spawner, SpawnError

PROGRAM = ("codex",)
ARGUMENTS = ("app-server",)


class CodexAdapter:
    """An `Adapter`."""

    driver = "codex"
    adapter_id = "codex"
    can_reconcile = False

    async def probe(self, profile: SessionProfile, spawner: Spawner) -> ProbeReport:
        """Look for the program and ask it for its version."""
        environment = child_environment(os.environ, profile.env)
        prefix = native_prefix(profile.command or PROGRAM, environment)
        path = shutil.which(prefix[0], path=environment.get("PATH"))
        if path is None:
            return ProbeReport(found=False, problem=f"{prefix[0]} was not found. {INSTALL}")
        said = await output_of(spawner, (*prefix, "--version"), environment)
        version = next(iter(said.splitlines()), None)
        problem = None if version else f"It does not tell its version. {INSTALL}"
        return ProbeReport(found=True, path=path, version=version, problem=problem)

    async def serve(
        self,
        profile: SessionProfile,
        spawner: Spawner,
        *,
        task_status: trio.TaskStatus[NativeSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Start the program, hand over the ready session, serve it until its process is gone."""
        environment = child_environment(os.environ, profile.env)
        command = profile.command or PROGRAM
        if "://" in command[0]:
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"This version starts Codex itself and does not connect to {command[0]}. Nothing "
                "was sent to it. Name the program in `command`.",
                transient=False,
            )
        argv = (*native_prefix(command, environment), *profile.args, *ARGUMENTS)
        try:
            async with spawner.open(argv, cwd=profile.cwd, env=environment) as child:
                await _serve(child, profile, task_status)
        except SpawnError as error:
            raise AdapterStartError(
                ErrorCode.ADAPTER_START_FAILED,
                f"{error} Nothing was sent to it. {INSTALL}",
                transient=not error.not_found,
            ) from error


async def _serve(
    child: ChildProcess, profile: SessionProfile, task_status: trio.TaskStatus[NativeSession]
) -> None:
    session = CodexSession(child, profile)
    refused: AdapterStartError | None = None
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.connection.serve)
            try:
                await _open(session, child, profile)
            except AdapterStartError as error:
                refused = error
                nursery.cancel_scope.cancel()
            else:
                task_status.started(session)
    finally:
        session.closed.set()
    if refused is not None:
        raise refused


async def _open(session: CodexSession, child: ChildProcess, profile: SessionProfile) -> None:
    connection = session.connection
    try:
        with trio.fail_after(profile.timeouts.handshake / 1000):
            greeting = await greet(connection, profile, our_version=groupx.__version__)
            opened = await open_thread(connection, greeting, profile)
    except trio.TooSlowError as error:
        if session.unprompted is not None:
            raise asked_early(session.unprompted) from error
        raise too_slow(error, profile.timeouts, last_words(connection, child)) from error
    except RpcError as error:
        words = excerpt(error.message, 500).rstrip(".")
        raise AdapterStartError(
            ErrorCode.ADAPTER_START_FAILED,
            f"The program refused to begin: {words}. Nothing was sent to it. {INSTALL}",
        ) from error
    except ConnectionLost as lost:
        said = last_words(connection, child)
        raise ended_early(
            lost.loss, child.returncode, said, protocol="app-server JSON-RPC", install=INSTALL
        ) from lost
    if session.unprompted is not None:
        raise asked_early(session.unprompted)
    session.open_as(opened, _facts(child, profile, opened))


def _facts(child: ChildProcess, profile: SessionProfile, opened: OpenedThread) -> SessionFacts:
    mcp = "probed" if opened.mcp_injected else "documented"
    return SessionFacts(
        native_session_id=opened.thread_id,
        protocol="codex-app-server",
        protocol_version=None,
        program_name="codex",
        program_version=opened.version,
        continuity="resumed" if opened.resumed else "new",
        capabilities={
            "streaming": "documented",
            "cancel": "documented",
            "resume": "probed" if opened.resumed else "documented",
            "mcp": mcp if profile.mcp is None or opened.mcp_injected else "not_observed",
            "close": "documented",
            "mode": "probed",
        },
        argv=child.argv,
        mcp_injected=opened.mcp_injected,
    )
