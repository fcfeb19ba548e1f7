"""Asking a program about itself, without a session."""

from collections.abc import Mapping, Sequence

import trio

from groupx.process.framing import LineTooLong
from groupx.process.spawner import Spawner, SpawnError

PROBE_SECONDS = 10.0
MAX_CHARACTERS = 64_000


async def output_of(spawner: Spawner, argv: Sequence[str], environment: Mapping[str, str]) -> str:
    """What `argv` prints, at most for some seconds and characters; empty when it does not start."""
    lines: list[str] = []
    try:
        async with spawner.open(argv, env=environment) as child:
            with trio.move_on_after(PROBE_SECONDS):
                while (line := await child.next_line()) is not None:
                    if not isinstance(line, LineTooLong):
                        lines.append(line.decode("utf-8", "replace").rstrip())
                    if sum(map(len, lines)) > MAX_CHARACTERS:
                        break
                await child.exited.wait()
            said = "\n".join(lines)[:MAX_CHARACTERS]
            return said or child.stderr_excerpt(MAX_CHARACTERS)
    except SpawnError:
        return ""
