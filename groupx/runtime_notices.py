"""What the user should know of a start, one line each: shown in the room and on the terminal."""

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from groupx.domain.config import Config
from groupx.domain.ledger import Recovered

_READ_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH


@attrs.frozen
class StartNotice:
    """One of them: a code, words, and the facts of the words."""

    code: str
    message: str
    facts: Mapping[str, Any]


def config_notices(config: Config) -> tuple[StartNotice, ...]:
    """What is odd about a config that is nevertheless run. Looks at the file, too: its mode."""
    notices: list[StartNotice] = []
    if _has_values(config) and _others_read(config.path):
        notices.append(
            StartNotice(
                "config_readable",
                f"Other users of this machine can read {config.path}, and so the `env` values in "
                f"it. If those are secret: chmod 600 {config.path}",
                {"path": config.path},
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


_COUNTS = (
    ("interrupted", "turn interrupted", "turns interrupted"),
    ("deliveryUnknown", "delivery unknown", "deliveries unknown"),
    ("requeued", "turn queued again", "turns queued again"),
    ("cancelled", "turn cancelled", "turns cancelled"),
    ("failed", "turn failed", "turns failed"),
    ("undecided", "turn being checked", "turns being checked"),
)


def restart_notice(recovered: Recovered, *, clock: str) -> StartNotice | None:
    """`restarted 14:02: 2 turns interrupted, 1 delivery unknown`; None when nothing was open.

    `clock` is the local time of the start. The facts: the counts that are not 0, and `turns`, those
    that were cut short.
    """
    counts = _counts(recovered)
    if not counts:
        return None
    said = [
        f"{counts[name]} {one if counts[name] == 1 else many}"
        for name, one, many in _COUNTS
        if name in counts
    ]
    turns = [
        {"turnId": turn.turn_id, "targetActorId": turn.target_actor_id}
        for turn in recovered.cut_short
    ]
    message = f"restarted {clock}: {', '.join(said)}"
    return StartNotice("restarted", message, {"counts": counts, "turns": turns})


def _counts(recovered: Recovered) -> dict[str, int]:
    found = {
        "interrupted": recovered.interrupted,
        "deliveryUnknown": recovered.delivery_unknown,
        "requeued": recovered.requeued,
        "cancelled": recovered.cancelled,
        "failed": recovered.failed,
        "undecided": len(recovered.undecided),
    }
    return {name: count for name, count in found.items() if count}
