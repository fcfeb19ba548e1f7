"""The adapter of Claude Code, through its stream-json protocol."""

import shutil
import uuid
from functools import partial

import trio

from groupx.adapters.claude.connection import ControlRefused
from groupx.adapters.claude.failures import words_of
from groupx.adapters.claude.handshake import Greeting, greet, mcp_is_ready, set_mode
from groupx.adapters.claude.session import ClaudeSession
from groupx.adapters.claude.starting import (
    INSTALL,
    MODE,
    NEEDED_FLAGS,
    argv_of,
    environment_of,
    prefix_of,
    write_mcp_file,
)
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
from groupx.adapters.probing import output_of
from groupx.adapters.serving import handshaking, serve_session
from groupx.adapters.starting import ended_early, last_words, not_started, refused
from groupx.domain.attempts import Reconciliation
from groupx.domain.errors import ErrorCode
from groupx.process.child import ChildProcess
from groupx.process.spawner import Spawner, SpawnError

UNKNOWN_SESSION = "No conversation found"
ROOT_REFUSED = "root/sudo"


class ClaudeAdapter:
    """An `Adapter`."""

    driver = "claude"
    adapter_id = "claude"
    can_reconcile = False

    async def probe(self, profile: SessionProfile, spawner: Spawner) -> ProbeReport:
        """Look for the program; ask it for its version and flags."""
        environment, prefix = environment_of(profile), prefix_of(profile)
        path = shutil.which(prefix[0], path=environment.get("PATH"))
        if path is None:
            return ProbeReport(found=False, problem=f"{prefix[0]} was not found. {INSTALL}")
        said = await output_of(spawner, (*prefix, "--version"), environment)
        version = next(iter(said.splitlines()), None)
        said = await output_of(spawner, (*prefix, "--help"), environment)
        missing = [flag for flag in NEEDED_FLAGS if flag not in said]
        problem = None
        if missing:
            problem = f"It does not know {', '.join(missing)}: update it. {INSTALL}"
        return ProbeReport(found=True, path=path, version=version, problem=problem)

    async def reconcile(
        self, profile: SessionProfile, spawner: Spawner, attempt: PastAttempt, sink: EventSink
    ) -> Reconciled:
        """Its protocol has no question for what became of one message."""
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
        session_id = profile.resume or str(uuid.uuid4())
        mcp_file = None if profile.mcp is None else write_mcp_file(profile.mcp, profile.run_dir)
        argv = argv_of(profile, session_id, mcp_file)
        try:
            environment = environment_of(profile)
            opening = spawner.open(argv, cwd=profile.cwd, env=environment, secrets=profile.secrets)
            async with opening as child:
                session = ClaudeSession(child, profile, session_id)
                await serve_session(session, partial(_open, session, child), task_status)
        except SpawnError as error:
            raise not_started(error, INSTALL) from error


async def _open(session: ClaudeSession, child: ChildProcess) -> None:
    connection, profile = session.connection, session.profile
    timeouts = profile.timeouts
    try:
        with handshaking(session, child, timeouts):
            greeting = await greet(connection)
            seconds = timeouts.request / 1000
            mode = await set_mode(connection, profile.mode or MODE, seconds=seconds)
            mcp = profile.mcp and await mcp_is_ready(connection, profile.mcp.name, seconds=seconds)
    except ControlRefused as error:
        raise refused(error.message.rstrip("."), INSTALL) from error
    except ConnectionLost as lost:
        raise _ended_early(session, child, lost) from lost
    session.open_as(_facts(session, child, greeting, mcp=bool(mcp)), mode=mode)


def _ended_early(
    session: ClaudeSession, child: ChildProcess, lost: ConnectionLost
) -> AdapterStartError:
    result = session.early_result
    reported = "" if result is None else f"It reported: {words_of(result)}. "
    said = f"{reported}{last_words(session.connection, child)}"
    if session.profile.resume is not None and UNKNOWN_SESSION in said:
        return AdapterStartError(
            ErrorCode.NATIVE_RESUME_UNSUPPORTED,
            "The program does not know the session that was to be resumed. Nothing was sent to "
            "it; a new session takes its place.",
            transient=False,
        )
    if ROOT_REFUSED in said:
        return AdapterStartError(
            ErrorCode.ADAPTER_START_FAILED,
            "Claude Code does not work without asking for permissions as root. Nothing was sent "
            "to it. Run GroupX as another user, or, if this machine is a sandbox that may be "
            'lost, set "IS_SANDBOX": "1" in the `env` of the agent.',
            transient=False,
        )
    return ended_early(lost.loss, child.returncode, said, protocol="stream-json", install=INSTALL)


def _facts(
    session: ClaudeSession, child: ChildProcess, greeting: Greeting, *, mcp: bool
) -> SessionFacts:
    resumed = session.profile.resume is not None
    return SessionFacts(
        native_session_id=session.session_id,
        protocol="stream-json",
        program_name="claude",
        program_version=greeting.version,
        continuity="resumed" if resumed else "new",
        capabilities={
            "streaming": "documented",
            "cancel": "documented",
            "resume": "probed" if resumed else "documented",
            "mcp": "probed" if mcp else "documented",
            "close": "documented",
            "mode": "probed",
        },
        argv=child.argv,
        mcp_injected=mcp,
        login=greeting.login,
    )
