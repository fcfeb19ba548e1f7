"""What the user should know of a start, one line each: shown in the room and on the terminal."""

import stat
from pathlib import Path

import attrs

from groupx.domain.config import Config
from groupx.domain.ledger import Recovered

_READ_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH


@attrs.frozen
class ConfigNotice:
    """What is odd about a config that is nevertheless run."""

    code: str
    message: str


def config_notices(config: Config) -> tuple[ConfigNotice, ...]:
    """Looks at the file, too: its mode."""
    notices: list[ConfigNotice] = []
    if _has_values(config) and _others_read(config.path):
        notices.append(
            ConfigNotice(
                "config_readable",
                f"Other users of this machine can read {config.path}, and so the `env` values in "
                f"it. If those are secret: chmod 600 {config.path}",
            )
        )
    return tuple(notices)


def _has_values(config: Config) -> bool:
    brain = () if config.assistant is None else (config.assistant.brain,)
    return any(program.env for program in (*config.agents, *brain))


def _others_read(path: str) -> bool:
    try:
        return bool(Path(path).stat().st_mode & _READ_BY_OTHERS)
    except OSError:
        return False


def restart_message(recovered: Recovered, *, clock: str) -> str | None:
    """`restarted 14:02: 2 turns interrupted, 1 delivery unknown`; None when nothing was open.

    `clock` is the local time of the start.
    """
    counts = (
        (recovered.interrupted, "turn interrupted", "turns interrupted"),
        (recovered.delivery_unknown, "delivery unknown", "deliveries unknown"),
        (recovered.requeued, "turn queued again", "turns queued again"),
        (recovered.cancelled, "turn cancelled", "turns cancelled"),
        (recovered.failed, "turn failed", "turns failed"),
        (len(recovered.undecided), "turn being checked", "turns being checked"),
    )
    said = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
    return f"restarted {clock}: {', '.join(said)}" if said else None
