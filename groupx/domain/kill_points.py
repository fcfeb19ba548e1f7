"""Named moments at which a run may be told to kill itself; an ordinary run passes them by."""

POINTS: tuple[str, ...] = (
    "accept.committed",
    "claim.committed",
    "invoke.committed",
    "prompt.first_byte",
    "prompt.written",
    "started.committed",
    "stream.mid",
    "terminal.before",
    "terminal.committed",
    "recovery.phase1",
    "recovery.phase2",
)
"""In the order in which a turn passes them. The commits of accept, claim, started and terminal are
on the store's thread, after the COMMIT and before anybody is answered."""

BESIDE: tuple[str, ...] = (
    "rollup.before",
    "rollup.committed",
    "checkpoint.before",
    "checkpoint.committed",
)
"""Of what an agent has written beside the room: it is not stored yet, and after the COMMIT."""

UPGRADE = "upgrade."
"""How an upgrade's points begin; then `locked`, `copied`, a step, `marked`, `committed`."""
