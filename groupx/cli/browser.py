"""Bringing a login to the user's browser without a code in any argv."""

import contextlib
import html
import os
import sys
from pathlib import Path

_OPENERS = {"darwin": "open", "linux": "xdg-open"}


def has_display() -> bool:
    """Whether a browser window could appear."""
    return sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def write_open_page(page: Path, login_url: str) -> None:
    """A page of the user's own (0600) that leads to `login_url`; replaces an earlier one."""
    link = html.escape(login_url)
    text = (
        "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>"
        f'<meta http-equiv=refresh content="0;url={link}"><title>GroupX</title>'
        f'<a href="{link}">GroupX</a>\n'
    )
    staged = page.with_name(f".{page.name}.{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        staged.unlink()
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(text)
    staged.replace(page)


class Opener:
    """Opens files with the platform's opener, from a process that is not ours any more.

    Made before the daemon starts: what it starts then is no child of the daemon, which ends
    whatever is left under it. Make it while the process has one thread.
    """

    def __init__(self) -> None:
        ours, self._pipe = os.pipe()
        child = os.fork()
        if child == 0:
            _become_opener(ours, self._pipe)
        os.close(ours)
        os.waitpid(child, 0)

    def open(self, page: Path) -> None:
        """Show the page; a missing opener is no error, the URL is printed too."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, os.fsencode(page))
        self.close()

    def close(self) -> None:
        """Let the helper go."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1


def _become_opener(pipe: int, writing_end: int) -> None:
    try:
        os.setsid()
        if os.fork() > 0:
            os._exit(0)
        os.close(writing_end)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        page = b""
        while piece := os.read(pipe, 4096):
            page += piece
        if page:
            program = _OPENERS.get(sys.platform, "xdg-open")
            os.execvp(program, [program, os.fsdecode(page)])  # noqa: S606 — no shell is meant
    finally:
        os._exit(0)
