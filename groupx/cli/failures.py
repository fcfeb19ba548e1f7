"""How a command fails: one line for people, one of three exit codes."""

import errno
import os

import click

DONE = 0
REFUSED = 1
FATAL = 70


class Refused(click.ClickException):
    """The command did nothing; the message says what happened, what it means, what to do."""

    exit_code = REFUSED

    def show(self, file: object = None) -> None:
        """Print it to stderr."""
        click.echo(f"groupx: {self.message}", err=True)


_ADVICE = {
    errno.EACCES: "Make it yours to read and write",
    errno.EPERM: "Make it yours to read and write",
    errno.EROFS: "Use a folder on a disk that can be written",
    errno.ENOSPC: "Make room on that disk",
    errno.EDQUOT: "Make room within your quota",
    errno.ENOENT: "Look whether the path is right",
    errno.ENOTDIR: "Look whether the path is right",
    errno.EISDIR: "Name a file",
    errno.ELOOP: "Look where its links lead",
    errno.ENAMETOOLONG: "Use a shorter path",
    errno.EMFILE: "Close some programs, or raise the limit of open files",
    errno.ENFILE: "Close some programs, or raise the limit of open files",
    errno.ENOMEM: "Close some programs",
    errno.EAGAIN: "Close some programs",
}


def words_of(error: OSError) -> str:
    """What the system refused, what that means, and what to do; for every command."""
    if error.errno == errno.ENOENT and _folder_is_gone():
        return (
            "the folder you are in does not exist any more, so nothing was done. "
            "Go to another folder (cd), then try again."
        )
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    what = (
        f"{_text(error.filename)} cannot be used ({reason})"
        if error.filename
        else (f"the system refused what this command needs ({reason})")
    )
    advice = _ADVICE.get(error.errno or 0, "Put that right")
    return f"{what}, so the command stopped there. {advice}, then try again."


def _text(name: object) -> str:
    return os.fsdecode(name) if isinstance(name, bytes) else str(name)


def _folder_is_gone() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False
