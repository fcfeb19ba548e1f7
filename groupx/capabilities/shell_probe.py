"""A command whose effect only a shell that really ran it can have."""

import secrets
from pathlib import Path

import trio

_NUMBERS = 1_000_000
MAX_BYTES = 100


class ShellProbe:
    """Adds two random numbers and leaves the sum in a file of the program's folder."""

    def __init__(self, folder: str) -> None:
        first, second = (secrets.randbelow(_NUMBERS) + 1 for _ in range(2))
        self._sum = first + second
        self._file = Path(folder) / f"groupx-probe-{secrets.token_hex(4)}.txt"
        self.command = f"expr {first} + {second} | tee {self._file.name}"

    async def take(self) -> bool:
        """Whether the sum is there. The file is taken away."""
        return await trio.to_thread.run_sync(self._take)

    def _take(self) -> bool:
        try:
            with self._file.open("rb") as file:
                found = file.read(MAX_BYTES)
            self._file.unlink()
        except FileNotFoundError:
            return False
        return found.strip() == str(self._sum).encode()
