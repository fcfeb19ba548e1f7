"""A room with a long history, made through the store before its daemon runs."""

import random
from collections.abc import Iterator
from pathlib import Path

from groupx.domain.commands import AcceptCommand, CommandKey
from groupx.domain.envelope import Provenance
from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId, IdSource
from groupx.domain.ledger import ClaimCommand, InstanceOpened, StartedCommand, TerminalCommand
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.roster import RosterEntry
from groupx.domain.runs import OpenRun
from groupx.store.opening import open_ledger
from groupx.store.session_era import session_era
from groupx.store.transaction import Transaction
from groupx.store.transactions.accept import accept
from groupx.store.transactions.bindings import open_instance, open_run
from groupx.store.transactions.claim import claim
from groupx.store.transactions.started import started
from groupx.store.transactions.terminal import terminal

BOB = ActorId("agent:bob")
BEGIN_MS = 1_770_000_000_000
STEP_MS = 20_000

Exchange = tuple[str, str]
"""What the user says, and what bob answers."""


def plain(count: int) -> Iterator[Exchange]:
    """Numbered messages with short answers."""
    for number in range(count):
        yield f"message number {number}.", f"answer number {number}."


class Clock:
    """A time of the history's own: every exchange is a little later."""

    def __init__(self) -> None:
        self.ms = BEGIN_MS

    def now(self) -> int:
        return self.ms


def write_long_room(path: Path, exchanges: Iterator[Exchange]) -> None:
    """The user and bob, exchange after exchange."""
    clock = Clock()
    conn = open_ledger(path, now_iso="2026-02-01T00:00:00.000Z", database_id="database_long")
    conn.execute("PRAGMA synchronous=OFF")
    ids = IdSource(clock.now, random.Random(5).randbytes)
    tx = Transaction(conn, ids, clock.now)
    conn.execute("BEGIN IMMEDIATE")
    open_run(tx, OpenRun(agents={BOB: "Bob"}))
    opened = InstanceOpened(
        instance_id="instance_1",
        binding_id="binding_1",
        actor_id=BOB,
        adapter_id="demo",
        protocol="demo",
        continuity="new",
        capabilities={},
    )
    open_instance(tx, opened)
    for number, (said, answered) in enumerate(exchanges):
        clock.ms += STEP_MS
        exchange(tx, number, said, answered)
    conn.execute("COMMIT")
    conn.close()


def exchange(tx: Transaction, number: int, said: str, answered: str) -> None:
    """One message and its answer, through the transactions that a daemon runs."""
    key = CommandKey(
        binding_id=WEB_BINDING,
        client_command_id=f"command_{number}",
        command_type="message.send",
        request={"to": [BOB], "content": number},
    )
    accepted = accept(
        tx,
        AcceptCommand(
            key=key,
            actor_id=USER_WEB,
            to=(BOB,),
            roster=(RosterEntry(actor_id=BOB, adapter_id="demo"),),
            provenance=Provenance(source_kind="web", author_actor_id=USER_WEB),
            content=said,
            limits=Limits(message_characters=1_000_000),
        ),
    )
    turn_id = accepted.turns[0].turn_id
    claimed = ClaimCommand(
        turn_id=turn_id,
        expected_transport="structured",
        binding_id="binding_1",
        instance_id="instance_1",
        era=session_era(tx.conn, None),
        context_through_seq=1,
    )
    attempt_id = claim(tx, claimed).attempt_id
    started(tx, StartedCommand(attempt_id=attempt_id))
    end = TerminalCommand(
        turn_id=turn_id,
        attempt_id=attempt_id,
        cause=Cause.COMPLETED,
        response=answered,
        local_date="2026-02-02",
    )
    terminal(tx, end)
