"""What a restart did, in one line for the room."""

from groupx.domain.ledger import Recovered


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
