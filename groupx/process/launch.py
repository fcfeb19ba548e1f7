"""Fork and exec, on the fork thread: pipes, a session of its own, nothing inherited."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress

import attrs

from groupx.process.proctable import read_process
from groupx.process.system import ExitWatch, die_with_parent


class SpawnError(Exception):
    """The program could not be started; the message says why and what to do."""

    def __init__(self, message: str, *, not_found: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.not_found = not_found
        """Whether there is no such program (or folder), as opposed to one that would not start."""


@attrs.frozen(kw_only=True)
class Launched:
    """A child that has been exec'ed and our ends of its pipes."""

    argv: tuple[str, ...]
    popen: subprocess.Popen[bytes]
    watch: ExitWatch
    started: str
    """Tells it from a later process with the same pid."""
    stdin: int
    stdout: int
    stderr: int | None

    def discard(self) -> None:
        """End it: nobody took it."""
        self.popen.kill()
        self.popen.wait()
        self.watch.close()
        for fd in (self.stdin, self.stdout, self.stderr):
            if fd is not None:
                os.close(fd)


def launch(
    argv: Sequence[str],
    *,
    cwd: str | None,
    env: Mapping[str, str],
    keep_stderr: bool = True,
    outlive_us: bool = False,
) -> Launched:
    """Blocking. Raises SpawnError. `outlive_us` leaves out the parent-death signal."""
    arguments = tuple(argv)
    with ExitStack() as ours, ExitStack() as theirs:
        try:
            stdin, stdin_write = _pipe(theirs, ours)
            stdout_read, stdout = _pipe(ours, theirs)
            stderr_read, stderr = _pipe(ours, theirs) if keep_stderr else (None, None)
            popen = subprocess.Popen(
                arguments,
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.DEVNULL if stderr is None else stderr,
                cwd=cwd,
                env=env,
                start_new_session=True,
                preexec_fn=None if outlive_us else die_with_parent(),  # noqa: PLW1509
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise _explain(arguments, cwd, error) from error
        ours.pop_all()
    row = None
    with suppress(OSError):
        row = read_process(popen.pid)
    return Launched(
        argv=arguments,
        popen=popen,
        watch=ExitWatch(popen),
        started=row.started if row else "",
        stdin=stdin_write,
        stdout=stdout_read,
        stderr=stderr_read,
    )


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for stack, end in zip((reader, writer), ends, strict=True):
        stack.callback(os.close, end)
    return ends


def _explain(argv: tuple[str, ...], cwd: str | None, error: Exception) -> SpawnError:
    program = argv[0] if argv else "(nothing)"
    if cwd is not None and (fault := _fault_of(cwd)) is not None:
        return SpawnError(f"{program} was not started: its folder {cwd} {fault}", not_found=True)
    if isinstance(error, FileNotFoundError):
        return SpawnError(
            f"{program} was not started: there is no such program. "
            "Install it, or give its full path in the agent's command.",
            not_found=True,
        )
    if isinstance(error, PermissionError):
        return SpawnError(
            f"{program} was not started: it may not be executed. Check its permissions."
        )
    return SpawnError(f"{program} was not started: {error}. Check the agent's command.")


def _fault_of(folder: str) -> str | None:
    """Why no program can be started in `folder`, and what to do; None when one can."""
    if os.path.isdir(folder):
        allowed = os.access(folder, os.X_OK)
        return None if allowed else "may not be entered. Check its permissions."
    if os.path.lexists(folder):
        return "is no folder. Change the agent's cwd to one."
    return "does not exist. Create the folder or change the agent's cwd."
