"""The adapter of Codex, by its app-server: on stdio, or behind a socket."""

import os
import shutil
from functools import partial

import trio

import groupx
from groupx.adapters.codex.opening import OpenedThread, greet, open_thread
from groupx.adapters.codex.programs import INSTALL, PROGRAM, SHIM_NOTE, is_shim, native_prefix
from groupx.adapters.codex.reaching import advice_of, is_listening, with_program
from groupx.adapters.codex.reconciling import ask_after
from groupx.adapters.codex.session import CodexSession
from groupx.adapters.connection import ConnectionLost
from groupx.adapters.contract import (
    AdapterStartError,
    EventSink,
    NativeSession,
    PastAttempt,
    ProbeReport,
    Reconciled,
    SessionFacts,
    SessionProfile,
)
from groupx.adapters.duplex import Duplex
from groupx.adapters.jsonrpc import RpcError
from groupx.adapters.probing import output_of
from groupx.adapters.serving import handshaking, serve_session
from groupx.adapters.starting import ended_early, last_words, refused
from groupx.domain.addresses import is_address
from groupx.domain.attempts import Reconciliation
from groupx.domain.text import excerpt
from groupx.process.environment import child_environment
from groupx.process.spawner import Spawner


class CodexAdapter:
    """An `Adapter`."""

    driver = "codex"
    adapter_id = "codex"
    can_reconcile = True

    async def probe(self, profile: SessionProfile, spawner: Spawner) -> ProbeReport:
        """Look for the program and ask it for its version, or whether somebody listens there."""
        command = profile.command or PROGRAM
        if is_address(command[0]):
            problem = await is_listening(command[0], profile.timeouts.request / 1000)
            return ProbeReport(found=problem is None, path=command[0], problem=problem)
        environment = child_environment(os.environ, profile.env)
        prefix = native_prefix(command, environment)
        path = shutil.which(prefix[0], path=environment.get("PATH"))
        if path is None:
            return ProbeReport(found=False, problem=f"{prefix[0]} was not found. {INSTALL}")
        notes = (SHIM_NOTE,) if is_shim(path) else ()
        said = await output_of(spawner, (*prefix, "--version"), environment)
        version = next(iter(said.splitlines()), None)
        problem = None if version else f"It does not tell its version. {INSTALL}"
        return ProbeReport(found=True, path=path, version=version, problem=problem, notes=notes)

    async def serve(
        self,
        profile: SessionProfile,
        spawner: Spawner,
        *,
        task_status: trio.TaskStatus[NativeSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Reach the program, hand over the ready session, serve it until it is gone."""
        await with_program(profile, spawner, partial(_serve, profile, task_status))

    async def reconcile(
        self, profile: SessionProfile, spawner: Spawner, attempt: PastAttempt, sink: EventSink
    ) -> Reconciled:
        """Read the thread's turns; nothing is prompted."""
        if attempt.native_session_id is None:
            await trio.lowlevel.checkpoint()
            return Reconciled(Reconciliation.NOT_FOUND)
        try:
            outlives_us = is_address((profile.command or PROGRAM)[0])
            ask = partial(ask_after, attempt, profile.timeouts, sink, outlives_us=outlives_us)
            return await with_program(profile, spawner, ask)
        except AdapterStartError:
            return Reconciled(Reconciliation.UNAVAILABLE)


async def _serve(
    profile: SessionProfile, task_status: trio.TaskStatus[NativeSession], program: Duplex
) -> None:
    session = CodexSession(program, profile)
    await serve_session(session, partial(_open, session, program, profile), task_status)


async def _open(session: CodexSession, program: Duplex, profile: SessionProfile) -> None:
    connection = session.connection
    advice, ended = advice_of(profile)
    try:
        with handshaking(session, program, profile.timeouts):
            greeting = await greet(connection, profile, our_version=groupx.__version__)
            opened = await open_thread(connection, greeting, profile)
    except RpcError as error:
        raise refused(excerpt(error.message, 500).rstrip("."), advice) from error
    except ConnectionLost as lost:
        said = last_words(connection, program)
        raise ended_early(
            lost.loss,
            program.returncode,
            said,
            protocol="app-server JSON-RPC",
            install=advice,
            ended=ended,
        ) from lost
    session.open_as(opened, _facts(program, profile, opened))


def _facts(program: Duplex, profile: SessionProfile, opened: OpenedThread) -> SessionFacts:
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
        argv=program.argv,
        mcp_injected=opened.mcp_injected,
        login=opened.login,
    )
