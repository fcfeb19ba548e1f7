"""A program at a terminal of its own."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path


class Terminal:
    """Runs `argv` with a pseudo-terminal as its input, output and controlling terminal."""

    def __init__(self, argv: list[str], *, env: Mapping[str, str], cwd: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            argv, env=env, cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)

    def until(self, text: str, seconds: float = 30.0) -> str:
        """Everything shown, once `text` was."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert self._read(deadline - time.monotonic()), f"{text!r} not in {self.shown!r}"
        return self.shown

    def type(self, text: str) -> None:
        """As if somebody typed it."""
        os.write(self._ours, text.encode())

    def wait(self, seconds: float = 30.0) -> int:
        """Its exit code, with everything it showed read."""
        deadline = time.monotonic() + seconds
        while self._read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    def close(self) -> None:
        """Kill it if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        os.close(self._ours)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self._ours, 65_536)
        except OSError:  # Linux: nobody holds the other end any more
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)
