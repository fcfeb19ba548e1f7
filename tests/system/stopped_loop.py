"""A room in whose history a limit stopped a call between agents, made before its daemon runs."""

import random
from pathlib import Path

from groupx.domain.commands import AcceptCommand, CommandKey
from groupx.domain.envelope import Provenance
from groupx.domain.errors import RecordedRefusal
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

ADA, BOB = ActorId("agent:ada"), ActorId("agent:bob")
NOW_MS = 1_770_000_000_000


def write_stopped_loop(path: Path, content: str) -> None:
    """The user asked ada; ada's call to bob, `content`, was stopped by the hop limit."""
    conn = open_ledger(path, now_iso="2026-02-01T00:00:00.000Z", database_id="database_loop")
    ids = IdSource(lambda: NOW_MS, random.Random(3).randbytes)
    tx = Transaction(conn, ids, lambda: NOW_MS)
    roster = tuple(RosterEntry(actor_id=actor, adapter_id="demo") for actor in (ADA, BOB))
    conn.execute("BEGIN IMMEDIATE")
    open_run(tx, OpenRun(agents={ADA: "Ada", BOB: "Bob"}))
    opened = InstanceOpened(
        instance_id="instance_1",
        binding_id="binding_1",
        actor_id=ADA,
        adapter_id="demo",
        protocol="demo",
        native_session_id=None,
        continuity="new",
        capabilities={},
    )
    open_instance(tx, opened)

    def message(binding: str, kind: str, sender: ActorId, to: ActorId, **more: object):
        key = CommandKey(
            binding_id=binding, client_command_id=kind, command_type=kind, request={"to": [to]}
        )
        source = "mcp" if sender == ADA else "web"
        return AcceptCommand(
            key=key,
            actor_id=sender,
            to=(to,),
            roster=roster,
            provenance=Provenance(source_kind=source, author_actor_id=sender),
            **more,  # type: ignore[arg-type]
        )

    asked = message(WEB_BINDING, "message.send", USER_WEB, ADA, content="do it", limits=Limits())
    turn = accept(tx, asked).turns[0].turn_id
    attempt = claim(
        tx,
        ClaimCommand(
            turn_id=turn,
            expected_transport="structured",
            binding_id="binding_1",
            instance_id="instance_1",
            era=session_era(tx.conn, None),
            context_through_seq=1,
        ),
    ).attempt_id
    started(tx, StartedCommand(attempt_id=attempt, native_turn_id="n1"))
    call = message(
        "binding_1", "mcp.send", ADA, BOB,
        content=content, limits=Limits(hop_count=0), parent_turn_id=turn,
    )  # fmt: skip
    try:
        accept(tx, call)
    except RecordedRefusal:
        pass
    else:
        raise AssertionError("the limit did not stop it")
    end = TerminalCommand(
        turn_id=turn,
        attempt_id=attempt,
        cause=Cause.COMPLETED,
        response="I could not reach Bob.",
        local_date="2026-02-02",
    )
    terminal(tx, end)
    conn.execute("COMMIT")
    conn.close()
